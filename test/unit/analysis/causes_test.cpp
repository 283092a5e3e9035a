// Which leaf owns the time: small recordings in, owners out.
#include "test/builder/recording_text.h"
#include "test/catch.h"
#include "test/unit/analysis/summary.h"

using namespace gpustall;
using namespace gpustall::test;

namespace {

// A step before and after, so that the run has a usual launch latency of 2 us.
std::string causes(const std::string& middle) {
  return causes_of(recording_of("launch warm 0us 2us 4us 10us | train.py:1 main\n" + middle));
}

}  // namespace

TEST_CASE("a scalar read: copy and synchronisation are one stall, charged with what it uncovers") {
  CHECK(causes(R"(
    launch gemm 10us 12us 14us +100us | train.py:5 main
    call cudaMemcpyAsync 20us 22us corr=1 bytes=4 | train.py:9 main
    memcpy d2h 114us +2us corr=1 bytes=4 dst=pinned
    call cudaStreamSynchronize 22us 120us | train.py:9 main
    launch next 150us 152us 154us +10us | train.py:5 main
  )") == golden(R"(
    device 0: span 160 us, busy 118 us, idle 42 us
      30 us sync.item train.py:9 main also launch.dispatch
      6 us sync.item train.py:9 main
      2 us launch.call train.py:5 main
      2 us launch.dispatch train.py:5 main
      2 us sync.item train.py:9 main also launch.call
  )"));
}

TEST_CASE("reads of sizes, tensors and prints are told apart by what surrounds them") {
  const auto leaf = [](const std::string& stall) {
    const std::string text =
        causes("launch gemm 10us 12us 14us +100us | train.py:5 main\n" + stall +
               "launch next 150us 152us 154us +10us | train.py:5 main\n");
    const size_t at = text.find("us ", text.find("idle") + 12);
    return text.substr(at + 3, text.find(' ', at + 3) - at - 3);
  };
  const std::string sync = "call cudaStreamSynchronize 22us 120us ";
  CHECK(leaf(R"(launch cub::DeviceReduceSingleTileKernel 16us 18us 114us +1us | train.py:9 main
    call cudaMemcpyAsync 20us 22us corr=1 | train.py:9 main
    memcpy d2h 115us +2us corr=1 bytes=4 dst=pinned
    )" + sync +
             "| train.py:9 main\n") == "sync.nonzero");
  CHECK(leaf(R"(call cudaMemcpyAsync 20us 22us corr=1 | train.py:9 main
    memcpy d2h 115us +2us corr=1 bytes=40000
    )" + sync +
             "| train.py:9 main\n") == "sync.to_host");
  CHECK(leaf(R"(call cudaMemcpyAsync 20us 120us corr=1 | train.py:9 main
    memcpy d2h 115us +2us corr=1 bytes=40000
    )") == "sync.to_host");
  CHECK(leaf(R"(call cudaMemcpyAsync 20us 22us corr=1 | train.py:9 main
    memcpy h2d 115us +2us corr=1 bytes=24
    )" + sync +
             "| train.py:9 main\n") == "sync.upload");
  CHECK(leaf(R"(call cudaMemcpyAsync 20us 22us corr=1 | train.py:9 main
    memcpy h2d 115us +2us corr=1 bytes=24000000
    )" + sync +
             "| train.py:9 main\n") == "copy.pageable");
  const std::string item = R"(memcpy d2h 115us +2us corr=1 bytes=4 dst=pinned
    call cudaMemcpyAsync 20us 22us corr=1 )";
  const auto under = [&](const char* frame) {
    const std::string stack =
        "| train.py:9 main; /usr/lib/python3/dist-packages/torch/" + std::string(frame) + "\n";
    return leaf(item + stack + sync + stack);
  };
  CHECK(under("_tensor_str.py:150 __init__") == "sync.print");
  CHECK(under("amp/grad_scaler.py:360 <genexpr>") == "sync.scaler");
  CHECK(under("nn/utils/clip_grad.py:60 clip_grad_norm_") == "sync.scaler");
  CHECK(under("optim/adam.py:400 step") == "sync.item");
  CHECK(leaf("call cudaDeviceSynchronize 20us 120us | train.py:9 main; "
             "/x/site-packages/torch/cuda/__init__.py:800 synchronize\n") == "sync.explicit");
  CHECK(leaf(item +
             "native=\"at::native::nonzero_cuda; at::_ops::nonzero::call\" | train.py:9 main\n" +
             sync + "| train.py:9 main\n") == "sync.nonzero");
}

TEST_CASE("empty_cache owns its frees, and the allocations that it makes necessary") {
  CHECK(causes(R"(
    launch gemm 10us 12us 14us +100us | train.py:5 main
    call cudaFree 20us 130us | train.py:9 main; /x/site-packages/torch/cuda/memory.py:200 empty_cache
    call cudaMalloc 140us 240us bytes=1000000 | train.py:5 main
    launch next 241us 243us 245us +10us | train.py:5 main
  )") == golden(R"(
    device 0: span 251 us, busy 116 us, idle 135 us
      118 us alloc.empty_cache train.py:9 main
      10 us alloc.empty_cache train.py:9 main also launch.dispatch
      4 us launch.call train.py:5 main
      3 us launch.dispatch train.py:5 main
  )"));
}

TEST_CASE("a synchronisation on a device that stays busy costs nothing") {
  CHECK(causes(R"(
    launch gemm 10us 12us 14us +100us | train.py:5 main
    queue 8
    launch long 12us 14us 16us +900us | train.py:5 main
    call cudaStreamSynchronize 20us 117us stream=7 | train.py:9 main
    queue 7
    launch next 150us 152us 154us +10us | train.py:5 main
  )") == golden(R"(
    device 0: span 912 us, busy 908 us, idle 4 us
      2 us launch.call train.py:5 main
      2 us launch.dispatch train.py:5 main
  )"));
}

TEST_CASE("kernels that were queued long before are the device's spacing") {
  CHECK(causes(R"(
    launch a 10us 12us 14us 50us | train.py:5 main
    launch b 14us 16us 51us 80us | train.py:6 main
    launch c 18us 20us 82us 90us | train.py:7 main
  )") == golden(R"(
    device 0: span 86 us, busy 79 us, idle 7 us
      2 us device.spacing train.py:7 main
      2 us launch.call train.py:5 main
      2 us launch.dispatch train.py:5 main
      1 us device.spacing train.py:6 main
  )"));
}

TEST_CASE("queued work that waits for another stream's event is a dependency") {
  const std::string text = causes(R"(
    queue 8
    launch other 10us 12us 14us 50us | train.py:5 main
    call cudaStreamWaitEvent 16us 17us stream=7 | train.py:6 main
    queue 7
    launch b 18us 20us 60us 80us | train.py:7 main
  )");
  CHECK_THAT(text, contains("10 us device.dependency train.py:7 main"));
}

TEST_CASE("a prefetched copy in the gap does not choose the thread") {
  // The upload thread's copy starts the device again, but the kernel after it is main's.
  CHECK(causes(R"(
    launch a 10us 12us 14us 20us | train.py:5 main
    thread upload
    queue 9
    call cudaMemcpyAsync 100us 102us corr=7 | loader.py:3 prefetch
    memcpy h2d 104us 110us corr=7 src=pinned bytes=100000
    thread main
    queue 7
    wait nanosleep 30us 190us | train.py:8 main
    launch b 200us 202us 204us 210us | train.py:9 main
  )") == golden(R"(
    device 0: span 206 us, busy 24 us, idle 182 us
      154 us host.sleep train.py:8 main
      12 us launch.dispatch train.py:8 main
      10 us launch.dispatch train.py:9 main
      2 us launch.call train.py:5 main
      2 us launch.call train.py:9 main
      2 us launch.dispatch train.py:5 main
  )"));
}

TEST_CASE("loading on the main process is seen by samples, also in other iterations") {
  const std::string text = causes_of(recording_of(R"(
    launch k 0us 2us 4us 10us | train.py:5 main
    sample 1ms | train.py:3 main; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:7 __getitem__
    sample 3ms | train.py:3 main; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:7 __getitem__
    sample 5ms | train.py:3 main; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:8 __getitem__
    sample 7ms | train.py:3 main; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:7 __getitem__
    launch k 8000us 8002us 8004us 8010us | train.py:5 main
    launch k 16000us 16002us 16004us 16010us | train.py:5 main
  )"));
  CHECK(text == golden(R"(
    device 0: span 16006 us, busy 18 us, idle 15988 us
      15984 us data.main data.py:7 __getitem__
      4 us launch.call train.py:5 main
  )"));
}

TEST_CASE(
    "garbage collection, files, sleeping and logging on the launching thread have their leaves") {
  CHECK(causes(R"(
    range gc 20us 60us kind=gc
    wait read 100us 200us object=file:/data/x | train.py:7 main
    wait write 300us 380us object=file:/log | train.py:8 main; /usr/lib/python3.11/logging/__init__.py:100 emit
    launch b 500us 502us 504us 510us | train.py:9 main
  )") == golden(R"(
    device 0: span 506 us, busy 12 us, idle 494 us
      120 us launch.dispatch train.py:9 main
      100 us host.read train.py:7 main
      100 us launch.dispatch train.py:8 main
      80 us host.io train.py:8 main
      52 us launch.dispatch train.py:7 main
      40 us host.gc train.py:7 main
      2 us launch.call train.py:9 main
  )"));
}

TEST_CASE("a GIL wait names the thread that held it") {
  const std::string text = causes(R"(
    thread pt_data_pin
    wait poll 0us 5us
    thread main
    wait pthread_cond_timedwait 20us 420us object=gil waker=pt_data_pin@419us | train.py:7 main
    launch b 430us 432us 434us 440us | train.py:9 main
  )");
  CHECK_THAT(text, contains("400 us host.gil train.py:7 main [pt_data_pin]"));
}

TEST_CASE("waiting for a batch is read in the worker that wrote it") {
  const std::string text = causes_of(recording_of(R"(
    process 100 trainer
    thread main
    launch k 0us 2us 4us 10us | train.py:5 main
    wait poll 20us 5000us object=pipe identity=9 | train.py:3 main; /x/site-packages/torch/utils/data/dataloader.py:1200 _try_get_data
    launch k 5100us 5102us 5104us 5110us | train.py:5 main
    process 101 loader_worker parent=100
    thread worker
    wait read 10us 2010us object=file:/data/a.jpg | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:7 __getitem__
    sample 3ms state=running | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:9 decode
    wait write 4980us 4990us object=pipe identity=9
    process 102 loader_worker parent=100
    thread other
    wait poll 0us 9ms object=pipe identity=11 | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:280 _worker_loop
  )"));
  CHECK_THAT(text, contains("data.worker_cpu data.py:9 decode [decode]"));
  CHECK_THAT(text, contains("1990 us data.worker_read data.py:7 __getitem__"));
  CHECK(text.find("data.worker_wait") == std::string::npos);
}

TEST_CASE("while another worker has finished its batches, the order of delivery is the cause") {
  const std::string text = causes_of(recording_of(R"(
    process 100 trainer
    thread main
    launch k 0us 2us 4us 10us | train.py:5 main
    wait poll 20us 9000us object=pipe identity=9 | train.py:3 main; /x/site-packages/torch/utils/data/dataloader.py:1200 _try_get_data
    launch k 9100us 9102us 9104us 9110us | train.py:5 main
    process 101 loader_worker parent=100
    thread late
    wait nanosleep 10us 8970us | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:7 __getitem__
    wait write 8980us 8990us object=pipe identity=9
    process 102 loader_worker parent=100
    thread early
    wait nanosleep 10us 4010us | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:7 __getitem__
    wait write 4990us 5000us object=pipe identity=9
    wait poll 5020us 9900us object=pipe identity=11 | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:280 _worker_loop
  )"));
  CHECK_THAT(text, contains("5000 us data.worker_wait data.py:7 __getitem__"));
  CHECK_THAT(text, contains("3950 us data.order data.py:7 __getitem__"));
}

TEST_CASE("a worker of the epoch before owes nothing, and worker_init_fn is a start") {
  const std::string text = causes_of(recording_of(R"(
    process 100 trainer
    thread main
    launch k 0us 2us 4us 10us | train.py:5 main
    wait poll 100us 9000us object=pipe identity=9 | train.py:3 main; /x/site-packages/torch/utils/data/dataloader.py:1200 _try_get_data
    launch k 9100us 9102us 9104us 9110us | train.py:5 main
    process 101 loader_worker parent=100
    thread gone
    wait write 10us 20us object=pipe identity=9
    process 102 loader_worker parent=100
    thread new
    wait nanosleep 1000us 8970us | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; data.py:20 open_store
    wait write 8980us 8990us object=pipe identity=9
  )"));
  CHECK_THAT(text, contains("7970 us data.worker_start data.py:20 open_store"));
  CHECK_THAT(text, contains("900 us data.worker_start train.py:3 main"));
}

TEST_CASE("a GIL wait after a synchronisation is not the synchronisation's") {
  const std::string text = causes(R"(
    thread holder
    wait poll 0us 5us
    thread main
    launch a 0us 2us 4us 3004us | train.py:5 main
    call cudaStreamSynchronize 10us 3010us | train.py:6 main
    wait pthread_cond_timedwait 3020us 8020us object=gil waker=holder@8019us | train.py:6 main
    launch b 8030us 8032us 8034us 8040us | train.py:9 main
  )");
  CHECK_THAT(text, contains("5000 us host.gil train.py:6 main [holder]"));
}

TEST_CASE("a bare poll is not data") {
  const std::string text = causes(R"(
    wait poll 20us 5000us object=pipe | train.py:3 main
    launch k 5100us 5102us 5104us 5110us | train.py:5 main
  )");
  CHECK_THAT(text, contains("4980 us host.read train.py:3 main"));
}

TEST_CASE("first uses are cold, not overhead") {
  const std::string text = causes(R"(
    launch new_kernel 20us 3020us 3022us 3030us | train.py:5 main
    launch new_kernel 3040us 3043us 3045us 3050us | train.py:5 main
  )");
  CHECK_THAT(text, contains("cold.module train.py:5 main"));
}

TEST_CASE("an autograd thread's idle time is read on the thread that feeds it") {
  // autograd waits for main, main sleeps: the sleep owns it; the backward's own dispatch has the
  // line that waits in backward().
  const std::string text = causes(R"(
    wait nanosleep 20us 520us | train.py:7 main
    launch loss 530us 532us 534us 540us | train.py:8 main
    wait pthread_cond_wait 545us 800us object=condition:m waker=pt_autograd_0@799us | train.py:9 main; /x/site-packages/torch/autograd/graph.py:800 _engine_run_backward
    launch step 810us 812us 814us 820us | train.py:10 main
    thread pt_autograd_0
    wait pthread_cond_wait 0us 560us object=condition:a waker=main@559us
    launch bw 600us 602us 604us 610us
    launch bw 700us 702us 704us 710us
  )");
  CHECK_THAT(text, contains("500 us host.sleep train.py:7 main"));
  CHECK_THAT(text, contains("launch.dispatch train.py:9 main"));
}

TEST_CASE("CPU time that the kernel spends on page faults has its leaf") {
  // A stretch of 60 ms, each 20 ms of which need 12 ms in the kernel and 4000 pages; then none.
  std::string faults = "launch k 0us 2us 4us 10us | train.py:5 main\n";
  std::string busy = faults;
  for (int i = 0; i <= 6; ++i) {
    const std::string at = "sample " + std::to_string(1 + 10 * i) +
                           "ms state=running cpu=" + std::to_string(10 * i) + "ms";
    faults += at + " system=" + std::to_string(6 * i) + "ms minor=" + std::to_string(2000 * i) +
              " | train.py:7 touch\n";
    busy += at + " system=" + std::to_string(6 * i) + "ms minor=3 | train.py:7 touch\n";
  }
  const std::string end = "launch k 70000us 70002us 70004us 70010us | train.py:9 main\n";
  CHECK_THAT(causes(faults + end), contains("host.page_fault train.py:7 touch"));
  CHECK_THAT(causes(busy + end), contains("host.python train.py:7 touch"));
}
