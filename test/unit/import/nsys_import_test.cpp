// The importer of Nsight Systems on files made here: what rows and columns mean, what may be
// absent.
#include "collector/load.h"
#include "test/catch.h"
#include "test/unit/import/nsys_file.h"

using namespace gpustall;
using namespace gpustall::collect;
using namespace gpustall::test;

namespace {

std::string id(int64_t pid, int64_t tid = 0, int64_t machine = 1) {
  return std::to_string(nsys_id(machine, pid, tid));
}

bool mentions(const std::vector<std::string>& sentences, const std::string& part) {
  for (const std::string& s : sentences)
    if (s.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("nsys: a kernel and its launch need no more than their two tables") {
  NsysFile file;
  file.call(1000, 2000, "cudaLaunchKernel_v7000", 5).kernel(3000, 9000, 5);
  const Recording r = file.recording();
  CHECK(r.basis == Basis::Nsys);
  REQUIRE(r.activities.size() == 1);
  CHECK(r.activities.start[0] == 3000);
  CHECK(r.text(r.activities.name[0]) == "gemm");
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls.call[0] == trace::Call::LaunchKernel);
  CHECK(r.processes.at(0).pid == 100);
  CHECK(r.processes.at(0).first_ns == 1000);
  CHECK(r.processes.at(0).last_ns == 9000);
  CHECK(r.damage.empty());
  CHECK(mentions(r.not_observed, "-t osrt"));
  CHECK(mentions(r.not_observed, "NVTX"));
}

TEST_CASE("nsys: nothing is written beside the user's file") {
  NsysFile file;
  file.sql("PRAGMA journal_mode = WAL;").kernel(0, 10, 1);
  std::filesystem::remove(file.path().string() + "-wal");
  std::filesystem::remove(file.path().string() + "-shm");
  const std::string before = file.bytes();
  CHECK(file.load());
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(file.path().parent_path()))
    ++files;
  CHECK(files == 1);
  CHECK(file.bytes() == before);
}

TEST_CASE("nsys: a call recorded by two layers is one call, the outer one") {
  NsysFile file;
  file.kernel(0, 10, 90);
  file.call(1000, 5000, "cudaMalloc", 7).call(1500, 4000, "cudaMalloc_v3020", 7);
  file.call(6000, 7000, "cudaMalloc", 7);        // the id again, later: another call
  file.call(8000, 9000, "cudaLaunchKernel", 8);  // and a driver call of its own inside
  file.call(8100, 8900, "cuLaunchKernel", 9, 100, 1);
  const Recording r = file.recording();
  REQUIRE(r.calls.size() == 4);
  CHECK(r.calls.start[0] == 1000);
  CHECK(r.calls.start[1] == 6000);
  CHECK(r.calls.call[3] == trace::Call::DriverLaunchKernel);
}

TEST_CASE("nsys: kinds of copies and of memory get CUPTI's numbers") {
  NsysFile file;
  file.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
      " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes"
      " INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (0,1,0,1,7,1," +
      id(100) +
      ",64,1,0,2),"
      "(2,3,0,1,7,2," +
      id(100) + ",64,2,2,1),(4,5,0,1,7,3," + id(100) +
      ",64,8,2,4),"
      "(6,7,0,1,7,4," +
      id(100) + ",64,11,7,NULL),(8,9,0,1,7,5," + id(100) + ",-1,99,77,-3);");
  const Activities a = file.recording().activities;
  REQUIRE(a.size() == 5);
  CHECK(a.copy_kind == std::vector<uint8_t>{kHostToDevice, kDeviceToHost, kDeviceToDevice,
                                            kHostToDevice, kCopyUnknown});
  CHECK(a.src_kind == std::vector<uint8_t>{kPageable, kDeviceMemory, kDeviceMemory, kMemoryUnknown,
                                           kMemoryUnknown});
  CHECK(a.dst_kind ==
        std::vector<uint8_t>{kDeviceMemory, kPinned, kManaged, kMemoryUnknown, kMemoryUnknown});
  CHECK(a.bytes[4] == 0);
}

TEST_CASE("nsys: a graph launch is busy, and its kernels are not counted twice") {
  NsysFile file;
  file.kernel(100, 200, 1);
  file.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId"
      " INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
      " graphId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (300,900,0,1,7,2," +
      id(100) + ",4);");
  const std::string node = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (310,400,0,1,7,";
  file.sql(node + "2," + id(100) + ",1,1,77);");  // a node of that launch
  file.sql(node + "3," + id(100) + ",1,1,78);");  // a node of a graph that has no row of its own
  const Recording r = file.recording();
  REQUIRE(r.activities.size() == 3);
  CHECK(r.activities.kind[1] == ActivityKind::Graph);
  CHECK(r.text(r.activities.name[1]) == "CUDA graph 4");
  CHECK(r.activities.correlation[2] == 3);
}

TEST_CASE("nsys: two processes on one device share it, by its UUID and not by its number") {
  NsysFile file;
  file.kernel(0, 10, 1, 100, 0).kernel(20, 30, 1, 200, 1).kernel(40, 50, 2, 200, 0);
  file.sql(
      "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, smCount INTEGER, uuid"
      " TEXT, cuDevice INTEGER); INSERT INTO TARGET_INFO_GPU VALUES (1,0,'Intel',0,"
      "'00000000-0000',0),(1,1,'A',108,'aa-1',0),(1,2,'B',108,'bb-2',1);"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid"
      " TEXT); INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1,0,100,'aa-1'),(1,1,200,'aa-1'),"
      "(2,0,200,'bb-2');");
  const Recording r = file.recording();
  REQUIRE(r.devices.size() == 2);
  CHECK(r.devices[0].name == "A");
  CHECK(r.device_of(0) == r.device_of(1));
  CHECK(r.devices[1].uuid == "bb-2");
}

TEST_CASE("nsys: streams and events of synchronisations come from their own rows") {
  NsysFile file;
  file.kernel(0, 10, 1).call(20, 30, "cudaStreamWaitEvent_v3020", 4);
  file.call(40, 50, "cudaDeviceSynchronize", 5);
  file.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, streamId"
      " INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (20,30,13,4," +
      id(100) + ",2,66),(40,50,4294967295,5," + id(100) + ",4,4294967295);");
  const Recording r = file.recording();
  CHECK(r.activities.size() == 1);  // waiting is no work
  REQUIRE(r.calls.size() == 2);
  CHECK(r.calls.stream == std::vector<uint32_t>{13, 0});
  CHECK(r.calls.object == std::vector<uint64_t>{66, 0});
}

TEST_CASE("nsys: NVTX ranges, registered or not, open or closed, in domains") {
  NsysFile file;
  file.kernel(0, 10'000, 1).call(2000, 2500, "cudaMemcpyAsync_v3020", 3);
  const std::string thread = id(100, 100), forward = std::to_string(file.text("forward"));
  file.sql(
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
      " globalTid INTEGER, textId INTEGER, domainId INTEGER); INSERT INTO NVTX_EVENTS VALUES"
      "(1000,3000,59,'aten::item, seq = 4, op_id = 8'," +
      thread +
      ",NULL,0),"
      "(1500,2900,59,'aten::_local_scalar_dense, op_id = 9'," +
      thread +
      ",NULL,0),"
      "(100,NULL,60,NULL," +
      thread + "," + forward +
      ",0),"
      "(200,300,59,'ncclSend'," +
      thread +
      ",NULL,1),"
      "(0,NULL,75,'NCCL'," +
      thread +
      ",NULL,1),"
      "(5,NULL,34,'a mark'," +
      thread + ",NULL,0);");
  const Recording r = file.recording();
  REQUIRE(r.ranges.size() == 4);
  CHECK(r.text(r.ranges.name[0]) == "forward");
  CHECK(r.ranges.end[0] == 10'000);
  CHECK(r.text(r.ranges.domain[1]) == "NCCL");
  CHECK(r.text(r.ranges.name[2]) == "aten::item");
  CHECK(r.ranges.kind[2] == RangeKind::CpuOp);
  REQUIRE(r.calls.native_stack[0] != kNone<NativeStackId>);
  const auto& stack = r.native_stacks[raw(r.calls.native_stack[0])];
  REQUIRE(stack.size() == 2);
  CHECK_THAT(std::string(r.text(stack[0])), contains("_local_scalar_dense"));
}

TEST_CASE("nsys: calls into libc become waits, with their call chains") {
  NsysFile file;
  file.kernel(0, 10, 1);
  const auto name = [&](const char* text) { return std::to_string(file.text(text)); };
  const std::string read = name("read"), lock = name("pthread_mutex_lock"), ioctl = name("ioctl"),
                    poll = name("poll"), symbol = name("load_batch"), other = name("0x7f");
  const std::string t = id(100, 100);
  file.sql(
      "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
      " nameId INTEGER, returnValue INTEGER, nestingLevel INTEGER, callchainId INTEGER);"
      "INSERT INTO OSRT_API VALUES (100,200,27," +
      t + "," + read +
      ",5,0,3),"
      "(300,400,27," +
      t + "," + lock + ",0,0,0),(500,600,27," + t + "," + ioctl +
      ",0,0,0),"
      "(700,800,27," +
      t + "," + poll + ",0,0,0),(710,720,27," + t + "," + read +
      ",0,1,0),"
      "(900,900,31," +
      t + "," + read +
      ",0,0,0);"
      "CREATE TABLE OSRT_CALLCHAINS (id INTEGER, symbol INTEGER, unresolved INTEGER, stackDepth"
      " INTEGER); INSERT INTO OSRT_CALLCHAINS VALUES (3," +
      read + ",NULL,0),(3," + other + ",1,1),(3," + symbol + ",NULL,2);");
  const Recording r = file.recording();
  REQUIRE(r.waits.size() == 3);
  CHECK(r.waits.wait[0] == trace::WaitId::Read);
  CHECK(r.waits.result[0] == 5);
  CHECK(trace::class_of(r.waits.wait[1]) == trace::WaitClass::Semaphore);
  CHECK(r.waits.object[2] != kNone<ObjectId>);  // polled something, only not known what
  REQUIRE(r.waits.native_stack[0] != kNone<NativeStackId>);
  const auto& stack = r.native_stacks[raw(r.waits.native_stack[0])];
  REQUIRE(stack.size() == 2);
  CHECK(r.text(stack[1]) == "load_batch");
  CHECK(mentions(r.not_observed, "1 calls of libc"));
  CHECK(mentions(r.not_observed, "ioctl"));
}

TEST_CASE("nsys: cuDNN and cuBLAS rows are ranges around the calls they make") {
  NsysFile file;
  file.kernel(0, 10, 1).call(100, 900, "cublasSgemm_v2", 3, 100, 29);
  file.call(200, 300, "cudaLaunchKernel", 4);
  const Recording r = file.recording();
  CHECK(r.calls.size() == 1);
  REQUIRE(r.ranges.size() == 1);
  CHECK(r.text(r.ranges.domain[0]) == "cuBLAS");
}

TEST_CASE("nsys: time on a CPU adds up, overheads have their kinds") {
  NsysFile file;
  file.kernel(0, 10, 1);
  const std::string t = id(100, 101), flush = std::to_string(file.text("CUPTI: Buffer flush"));
  file.sql(
      "CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid"
      " INTEGER); INSERT INTO SCHED_EVENTS VALUES (100,0,1," +
      t + "),(400,0,0," + t + "),(600,1,1," + t + "),(700,1,0," + t + "),(50,0,1," + id(999, 1) +
      ");"
      "CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId"
      " INTEGER); INSERT INTO PROFILER_OVERHEAD VALUES (1,2," +
      t + "," + flush + ");");
  const Recording r = file.recording();
  CHECK(r.samples.cpu_ns == std::vector<uint64_t>{0, 300, 300, 400});
  CHECK(r.samples.state[0] == trace::ThreadRunState::Running);
  REQUIRE(r.overheads.size() == 1);
  CHECK(r.overheads[0].kind == OverheadKind::BufferFlush);
  CHECK(r.processes.size() == 1);  // pid 999 uses no GPU
}

TEST_CASE("nsys: neither environments nor users nor directories are read") {
  NsysFile file;
  file.kernel(0, 10, 1);
  file.sql(
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name TEXT,"
      " nameEnum TEXT, value TEXT); INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1,'a','b','c',"
      "'SECRET_TOKEN');"
      "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT, env TEXT);"
      "INSERT INTO PROCESSES VALUES (" +
      id(100) +
      ",100,'/home/somebody/bin/train',"
      "'SECRET_TOKEN=1');"
      "CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT); INSERT INTO DIAGNOSTIC_EVENT"
      " VALUES (2,'Cannot open /home/somebody/x.so. Retry"
      "\n"
      "more'),(3,'CUDA buffers were lost'),"
      "(2,'No NVTX events collected. Does the process use NVTX?'),(1,'SECRET_TOKEN');");
  const Recording r = file.recording();
  std::string all;
  for (const std::string& s : r.strings) all += s + "\n";
  for (const std::string& s : r.not_observed) all += s + "\n";
  for (const std::string& s : r.damage) all += s + "\n";
  for (const auto& [key, value] : r.processes.at(0).info) all += key + "=" + value + "\n";
  CHECK(all.find("SECRET_TOKEN") == std::string::npos);
  CHECK(all.find("somebody") == std::string::npos);
  CHECK(r.processes.at(0).info.at("script") == "train");
  CHECK(mentions(r.not_observed, "Cannot open x.so"));
  CHECK(mentions(r.damage, "CUDA buffers were lost"));
}

TEST_CASE("nsys: text that is not UTF-8 is made printable") {
  NsysFile file;
  const int64_t bad = file.text("ker\xfcnel\n\xe2\x82\xac\xed\xa0\x80");
  file.kernel(0, 10, 1).sql(
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = " + std::to_string(bad) + ";");
  const Recording r = file.recording();
  CHECK(r.text(r.activities.name[0]) == "ker?nel \xe2\x82\xac???");
}

TEST_CASE("nsys: threads are named, machines told apart without their names") {
  NsysFile file;
  file.kernel(0, 10, 1).call(20, 30, "cudaLaunchKernel", 1);
  file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (40,50,0,1,7,1," + id(100, 0, 2) +
           ",1,1,NULL);"
           "CREATE TABLE ThreadNames (nameId INTEGER, priority INTEGER, globalTid INTEGER);"
           "INSERT INTO ThreadNames VALUES (" +
           std::to_string(file.text("main")) + ",10," + id(100, 100) + ");");
  const Recording r = file.recording();
  CHECK(r.processes.size() == 2);
  CHECK(r.devices.size() == 2);
  CHECK(r.processes[0].host != r.processes[1].host);
  CHECK(r.text(r.threads.at(0).name) == "main");
}
