// The trace format's constants: file header, chunk header, enumerations. FORMAT.md explains;
// records.def lists the records. Shared by the writer (in the victim) and the reader; std headers
// only, nothing here allocates. Never derive the format version from the product version; a change
// here is one commit with FORMAT.md, records.def, the reader, the golden file and the version
// history.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gpustall::trace {

inline constexpr char kMagic[8] = {'G', 'P', 'U', 'S', 'T', 'A', 'L', 'L'};
inline constexpr uint16_t kFormatVersion = 1;  // what this build writes
inline constexpr uint16_t kMinReaderVersion =
    1;  // the oldest reader that can read what this build writes
inline constexpr uint16_t kOldestReadable = 1;  // the oldest file that this build reads
inline constexpr uint32_t kHeaderBytes =
    4096;  // one page; chunk i starts at kHeaderBytes + i * kChunkBytes
inline constexpr uint32_t kChunkBytes = 65536;
inline constexpr uint32_t kChunkMagic = 0x48435347;  // "GSCH"
inline constexpr uint32_t kMaxRecordBytes =
    32768;  // longer strings are cut by the writer, and counted

enum class Role : uint8_t { Unknown, Trainer, LoaderWorker, Other };
enum class ClockKind : uint8_t { MonotonicNs, Tsc };
enum class StreamKind : uint16_t { Thread, Device, Dictionary };

enum HeaderFlag : uint32_t {
  kCleanEnd = 1u << 0,     // the process ended by exit() or _exit(), everything was flushed
  kForkEpoch = 1u << 1,    // opened by a forked child of a recording process
  kSimulated = 1u << 2,    // the CUDA runtime is the simulated device
  kCapReached = 1u << 3,   // the size cap ended the recording: oldest kept
  kCuptiActive = 1u << 4,  // device activities come from CUPTI
};

// Offsets of the file header, little-endian. Written once by the writer but for the marked fields.
struct FileHeader {
  char magic[8];
  uint16_t format_version, min_reader_version;
  uint32_t header_bytes;
  uint32_t chunk_bytes;
  uint32_t flags;           // live: HeaderFlag
  uint64_t chunks_claimed;  // live: atomic; chunks beyond the file's end are not there
  uint32_t pid, parent_pid;
  uint32_t epoch;      // 0; +1 for every fork of this process image that records
  int32_t rank;        // -1: none
  uint8_t role;        // live: Role
  uint8_t clock_kind;  // ClockKind of every host time in this file
  uint16_t reserved0;
  uint32_t python_version;  // live: PY_VERSION_HEX, 0 before there is an interpreter
  uint64_t run_id[2];       // the same for all processes of one run
  int64_t start_ticks, start_monotonic_ns, start_realtime_ns;
  int64_t end_ticks;                            // live: 0 while running
  uint64_t max_bytes;                           // the size cap of this file, 0: none
  uint32_t cuda_driver_version, cupti_version;  // live
  char host[64];
  uint64_t losses[32];  // live, atomic: by LossKind
};
static_assert(sizeof(FileHeader) <= kHeaderBytes);
static_assert(offsetof(FileHeader, losses) == 184);

// A chunk belongs to one stream of records and decodes alone: running time and correlation start at
// its bases.
struct ChunkHeader {
  uint32_t magic;
  uint32_t committed_bytes;  // live: payload bytes that are valid; stored with release order after
                             // the payload
  uint32_t tid;          // kernel thread id of the stream; for Device streams the CUPTI thread or 0
  uint16_t stream_kind;  // StreamKind
  uint16_t reserved0;
  uint32_t sequence;  // per (stream_kind, tid): 0, 1, ...; a hole means a lost chunk
  uint32_t reserved1;
  int64_t base_time;  // host ticks; in Device streams: device nanoseconds
  uint64_t base_correlation;
  uint64_t reserved2;
};
static_assert(sizeof(ChunkHeader) == 48);

// What can be lost, each counted where it happens; the collector shows every non-zero one.
enum class LossKind : uint8_t {
  NoChunk,  // no room: file cap, disk full
  RecordTooLong,
  DictionaryFull,   // a string, stack or code object could not be interned
  CuptiDropped,     // CUPTI's own count
  ActivityInvalid,  // zero or reversed time
  ActivityUnknown,  // a kind that this build does not know
  StackUnreadable,
  HookReentered,  // a hook entered from inside our own code
  UnlinkedWaker,
  AfterExit,  // events after the final flush
  SampleMissed,
  Count
};

// Why something was not observed (Notice records); text in the record is for people.
enum class NoticeKind : uint8_t {
  CuptiRefused,
  CuptiYielded,
  CuptiResumed,
  CuptiMissing,
  PythonStacksOff,
  NativeStacksOff,
  SamplerOff,
  CapReached,
  DiskFull,
  WindowOpened,
  WindowClosed,
  ForkedChild,
  ClockStepped,
  Other,
  FileCut
};

enum class ObjectKind : uint8_t {
  Unknown,
  File,
  Pipe,
  Socket,
  Tty,
  Semaphore,
  Condition,
  Gil,
  EventFd,
  Device
};

enum class ThreadRunState : uint8_t { Unknown, Running, Runnable, Sleeping, DiskWait, Stopped };

// Keys of Counter records.
// Nanoseconds for which the CPU quota of the process's control group stopped its threads, summed
// over CPUs; cumulative, at the moment when it was seen to have grown.
inline constexpr const char* kThrottledCounter = "cgroup.throttled_ns";

// Sample.flags: what the interpreter was doing at that moment.
enum SampleFlag : uint32_t {
  kSampleHoldsGil = 1u << 0,  // this thread held the GIL; never set where that is not known
  kSampleGc = 1u << 1,        // a garbage collection ran in its interpreter
};

}  // namespace gpustall::trace
