#include "collector/live/tail_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace gpustall::collect {
namespace {

using trace::ChunkHeader;
using trace::StreamKind;
using trace::Tag;

constexpr uint32_t kOwnStream = 0xffffffffu;  // of the chunks that image() makes: no thread's id

bool read_at(int fd, void* into, size_t bytes, uint64_t offset) {
  return pread(fd, into, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

uint64_t offset_of(uint32_t index) {
  return trace::kHeaderBytes + uint64_t{index} * trace::kChunkBytes;
}

// Records without a time of their own mean the same wherever they stand.
bool is_definition(Tag tag) {
  switch (tag) {
    case Tag::String:
    case Tag::Code:
    case Tag::Frame:
    case Tag::NativeStack:
    case Tag::Module:
    case Tag::Queue:
    case Tag::Device:
    case Tag::Object:
    case Tag::Info:
      return true;
    default:
      return false;
  }
}

bool same_stream(const ChunkHeader& a, const ChunkHeader& b) {
  return a.tid == b.tid && a.stream_kind == b.stream_kind;
}

void append_chunk(std::string& image, const ChunkHeader& header, std::string_view payload) {
  const size_t end = image.size() + trace::kChunkBytes;
  image.append(reinterpret_cast<const char*>(&header), sizeof header);
  image.append(payload);
  image.resize(end, '\0');
}

// Fills chunks of a stream of its own, record by record.
class OwnStream {
 public:
  explicit OwnStream(std::string& image) : image_(image) {}

  template <typename Record>
  void add(const Record& record) {
    uint8_t bytes[256];  // these records are a few numbers
    for (bool again : {true, false}) {
      trace::Running running = running_;
      trace::Writer out(bytes, bytes + sizeof bytes);
      trace::encode(record, running, out);
      if (has_room(out.size()) || !again) {
        payload_.append(reinterpret_cast<const char*>(bytes), out.size());
        running_ = running;
        return;
      }
      finish_chunk();  // and once more, with a running time that starts anew
    }
  }
  void add_definition(std::string_view record) {
    if (!has_room(record.size())) finish_chunk();
    payload_.append(record);
  }
  void finish_chunk() {
    ChunkHeader header{};
    header.magic = trace::kChunkMagic;
    header.committed_bytes = static_cast<uint32_t>(payload_.size());
    header.tid = kOwnStream;
    header.stream_kind = static_cast<uint16_t>(StreamKind::Dictionary);
    header.sequence = sequence_++;
    append_chunk(image_, header, payload_);
    payload_.clear();
    running_ = {};
  }

 private:
  bool has_room(size_t bytes) const {
    return payload_.size() + bytes <= trace::kChunkBytes - sizeof(ChunkHeader);
  }
  std::string& image_;
  std::string payload_;
  trace::Running running_;
  uint32_t sequence_ = 0;
};

// Calls f with each whole record of the bytes, as it was written.
template <typename F>
void each_record(std::string_view bytes, F&& f) {
  const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
  trace::Reader in(begin, begin + bytes.size());
  uint8_t tag = 0;
  std::string_view payload;
  for (const uint8_t* at = begin; trace::next_record(in, tag, payload); at = in.at())
    f(static_cast<Tag>(tag), payload,
      std::string_view(reinterpret_cast<const char*>(at), static_cast<size_t>(in.at() - at)));
}

}  // namespace

std::unique_ptr<TailFile> TailFile::open(const std::filesystem::path& path, size_t chunks_kept) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return nullptr;
  std::unique_ptr<TailFile> file(new TailFile(fd, chunks_kept));
  trace::FileHeader& h = file->header_;
  const bool good = read_at(fd, &h, sizeof h, 0) &&
                    std::memcmp(h.magic, trace::kMagic, sizeof h.magic) == 0 &&
                    h.min_reader_version <= trace::kFormatVersion &&
                    h.header_bytes == trace::kHeaderBytes && h.chunk_bytes == trace::kChunkBytes;
  return good ? std::move(file) : nullptr;
}

TailFile::~TailFile() {
  close(fd_);
}

bool TailFile::update() {
  read_at(fd_, &header_, sizeof header_, 0);
  find_chunks();
  bool news = false;
  for (Chunk& chunk : chunks_)
    if (!chunk.closed && read_more(chunk)) news = true;
  forget();
  return news;
}

void TailFile::find_chunks() {
  struct stat status {};
  if (fstat(fd_, &status) != 0) return;
  const uint64_t there =
      static_cast<uint64_t>(std::max<off_t>(0, status.st_size - trace::kHeaderBytes)) /
      trace::kChunkBytes;
  const auto until = static_cast<uint32_t>(std::min(there, header_.chunks_claimed));
  for (; seen_ < until; ++seen_) unwritten_.push_back(seen_);
  std::vector<uint32_t> still;
  for (const uint32_t index : unwritten_) {
    Chunk chunk;
    chunk.index = index;
    if (!read_at(fd_, &chunk.header, sizeof chunk.header, offset_of(index)) ||
        chunk.header.magic != trace::kChunkMagic) {
      still.push_back(index);
      continue;
    }
    chunk.running = {chunk.header.base_time, chunk.header.base_correlation};
    const auto at = std::lower_bound(chunks_.begin(), chunks_.end(), index,
                                     [](const Chunk& c, uint32_t i) { return c.index < i; });
    chunks_.insert(at, std::move(chunk));
  }
  unwritten_ = std::move(still);
}

bool TailFile::read_more(Chunk& chunk) {
  // What a stream commits, it commits before it goes on in its next chunk.
  const bool followed = std::any_of(chunks_.begin(), chunks_.end(), [&](const Chunk& other) {
    return same_stream(other.header, chunk.header) && other.header.sequence > chunk.header.sequence;
  });
  if (!read_at(fd_, &chunk.header, sizeof chunk.header, offset_of(chunk.index))) return false;
  const size_t committed =
      std::min<size_t>(chunk.header.committed_bytes, trace::kChunkBytes - sizeof(ChunkHeader));
  const bool news = committed > chunk.read;
  if (news) {
    chunk.payload.resize(committed);
    if (!read_at(fd_, chunk.payload.data() + chunk.read, committed - chunk.read,
                 offset_of(chunk.index) + sizeof(ChunkHeader) + chunk.read)) {
      chunk.payload.resize(chunk.read);
      return false;
    }
    chunk.read = committed;
    walk(chunk);
  }
  chunk.closed = followed;
  return news;
}

void TailFile::walk(Chunk& chunk) {
  const std::string_view fresh = std::string_view(chunk.payload).substr(chunk.walked);
  each_record(fresh, [&](Tag tag, std::string_view payload, std::string_view record) {
    chunk.walked += record.size();
    if (is_definition(tag)) {
      definitions_.append(record);
      return;
    }
    switch (tag) {
#define GPUSTALL_RECORD(name, number)                                  \
  case Tag::name: {                                                    \
    trace::name decoded;                                               \
    if (trace::decode(payload, chunk.running, decoded)) keep(decoded); \
    break;                                                             \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
      default:
        break;
    }
  });
}

bool TailFile::is_kept(size_t at) const {
  const uint32_t first_new = seen_ > chunks_kept_ ? seen_ - static_cast<uint32_t>(chunks_kept_) : 0;
  if (chunks_[at].index >= first_new) return true;
  // The last of its stream before the newest.
  for (size_t i = at + 1; i < chunks_.size() && chunks_[i].index < first_new; ++i)
    if (same_stream(chunks_[i].header, chunks_[at].header)) return false;
  return true;
}

void TailFile::forget() {
  std::vector<Chunk> kept;
  std::vector<bool> keep(chunks_.size());
  for (size_t i = 0; i < chunks_.size(); ++i) keep[i] = !chunks_[i].closed || is_kept(i);
  for (size_t i = 0; i < chunks_.size(); ++i)
    if (keep[i]) kept.push_back(std::move(chunks_[i]));
  chunks_ = std::move(kept);
}

std::string TailFile::image() const {
  std::string image(trace::kHeaderBytes, '\0');
  OwnStream own(image);
  each_record(definitions_,
              [&](Tag, std::string_view, std::string_view record) { own.add_definition(record); });
  for (const trace::Clock& clock : clocks_) own.add(clock);
  for (const trace::DeviceClock& clock : device_clocks_) own.add(clock);
  for (const trace::Thread& thread : threads_) own.add(thread);
  own.finish_chunk();
  for (const Chunk& chunk : chunks_) {
    ChunkHeader header = chunk.header;
    header.committed_bytes = static_cast<uint32_t>(chunk.payload.size());
    append_chunk(image, header, chunk.payload);
  }
  trace::FileHeader header = header_;
  header.chunks_claimed = (image.size() - trace::kHeaderBytes) / trace::kChunkBytes;
  std::memcpy(image.data(), &header, sizeof header);
  return image;
}

std::vector<uint32_t> TailFile::cut_threads() const {
  std::vector<std::pair<uint32_t, uint32_t>> first;  // thread, its first sequence
  for (const Chunk& chunk : chunks_) {
    if (chunk.header.stream_kind != static_cast<uint16_t>(StreamKind::Thread)) continue;
    const auto known = std::find_if(first.begin(), first.end(),
                                    [&](const auto& f) { return f.first == chunk.header.tid; });
    if (known == first.end()) first.emplace_back(chunk.header.tid, chunk.header.sequence);
  }
  std::vector<uint32_t> cut;
  for (const auto& [tid, sequence] : first)
    if (sequence > 0) cut.push_back(tid);
  return cut;
}

}  // namespace gpustall::collect
