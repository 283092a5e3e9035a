// Attaching to CUPTI, being refused, standing aside for the program and coming back.
#include "libinterpose/cupti/session.h"

#include <algorithm>

#include "libinterpose/cupti/program_use.h"
#include "test/catch.h"
#include "test/cupti/unit/fake_cupti.h"
#include "test/cupti/unit/fake_recorder.h"

using namespace gpustall;
using namespace gpustall::test;
using interpose::cupti::g_mode;
using interpose::cupti::Mode;

namespace {

void start() {
  interpose::HookGuard guard;
  interpose::cupti::start_session(guard);
}
long count(const char* entry) {
  const auto& log = fake_cupti().log;
  return std::count(log.begin(), log.end(), entry);
}
uint8_t g_program_buffer[4096];
int g_program_completed = 0;
void program_request(uint8_t** buffer, size_t* size, size_t* records) {
  *buffer = g_program_buffer;
  *size = sizeof g_program_buffer;
  *records = 0;
}
void program_complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t) {
  REQUIRE(buffer == g_program_buffer);
  ++g_program_completed;
}
uint64_t program_clock() {
  return 5;
}
// As the helper thread would, a while after the program's last call.
void later() {
  interpose::cupti::program_use().last_ns -= 100000000;
  run_helper(interpose::Round::Periodic);
}
int g_program_calls = 0;
void program_callback(void* userdata, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {
  REQUIRE(userdata == &g_program_calls);
  ++g_program_calls;
}

}  // namespace

TEST_CASE("attaching enables the listed calls and the device kinds, once") {
  reset_all();
  start();
  start();
  CHECK(g_mode == Mode::Active);
  CHECK(count("subscribe") == 1);
  CHECK(fake_cupti().callbacks.count({CUPTI_CB_DOMAIN_RUNTIME_API, 211}) == 1);
  CHECK(fake_cupti().callbacks.count({CUPTI_CB_DOMAIN_DRIVER_API, 307}) == 1);
  CHECK(fake_cupti().kinds == std::set<int>{1, 2, 10, 17, 22, 38, 51});
  CHECK(fake_cupti().zeroed_attribute == 1);
  CHECK(notices().empty());
}

TEST_CASE("a refused subscription is said with its code and its remedy") {
  reset_all();
  fake_cupti().subscribe_result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  start();
  CHECK(g_mode == Mode::Refused);
  REQUIRE(notices().size() == 1);
  CHECK(notices()[0].kind == trace::NoticeKind::CuptiRefused);
  CHECK(notices()[0].code == 39);
  CHECK_THAT(notices()[0].text, contains("another tool holds CUPTI"));
}

TEST_CASE("when kernels cannot be traced everything is undone") {
  reset_all();
  fake_cupti().kernels_result = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  start();
  CHECK(g_mode == Mode::Refused);
  CHECK(fake_cupti().kinds.empty());
  CHECK(count("unsubscribe") == 1);
  CHECK(notices().at(0).code == 35);
}

TEST_CASE("the program's profiler finds CUPTI as if we were not there, and we come back") {
  reset_all();
  start();
  interpose::cupti::note_context();
  cuptiActivityRegisterTimestampCallback(program_clock);
  CHECK(g_mode == Mode::Yielded);
  CHECK(fake_cupti().kinds.empty());
  CHECK(fake_cupti().callback == nullptr);
  CHECK(fake_cupti().zeroed_attribute == 0);
  cuptiActivityRegisterCallbacks(program_request, program_complete);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  fake_cupti().deliver({});
  CHECK(g_program_completed == 1);
  cuptiActivityFlushAll(0);  // at the profile's start: the program is still at it
  later();
  CHECK(g_mode == Mode::Yielded);

  uint8_t* late = nullptr;
  size_t size = 0, records = 0;
  fake_cupti().request(&late, &size, &records);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
  later();
  CHECK(g_mode == Mode::Yielded);  // its last buffers are still out
  CHECK(fake_cupti().timestamps == program_clock);
  cuptiActivityFlushAll(0);
  CHECK(g_mode == Mode::Yielded);  // it may still change settings
  later();
  CHECK(g_mode == Mode::Active);
  CHECK(fake_cupti().timestamps != program_clock);
  CHECK(fake_cupti().kinds.count(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == 1);

  // a buffer that CUPTI returns only now still belongs to the program
  fake_cupti().complete(nullptr, 0, late, size, 0);
  CHECK(g_program_completed == 2);
  REQUIRE(notices().size() == 2);
  CHECK(notices()[0].kind == trace::NoticeKind::CuptiYielded);
  CHECK(notices()[1].kind == trace::NoticeKind::CuptiResumed);

  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);  // the next profile gets its own clock back
  CHECK(fake_cupti().timestamps == program_clock);
}

TEST_CASE("a subscription that the program never gives back is shared") {
  reset_all();
  start();
  CUpti_SubscriberHandle handle = nullptr;
  CHECK(cuptiSubscribe(&handle, program_callback, &g_program_calls) == CUPTI_SUCCESS);
  CHECK(g_mode == Mode::Yielded);
  cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API, 211);
  CHECK(fake_cupti().callbacks.size() == 1);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cuptiActivityFlushAll(1);
  later();
  REQUIRE(g_mode == Mode::Active);
  CHECK(count("subscribe") == 2);  // ours, then the program's, which we have joined
  CHECK(fake_cupti().callbacks.size() > 100);

  g_program_calls = 0;
  fake_cupti().call(CUPTI_CB_DOMAIN_RUNTIME_API, 211, CUPTI_API_ENTER, 5, nullptr);
  fake_cupti().call(CUPTI_CB_DOMAIN_RUNTIME_API, 211, CUPTI_API_EXIT, 5, nullptr);
  fake_cupti().call(CUPTI_CB_DOMAIN_RUNTIME_API, 20, CUPTI_API_ENTER, 6, nullptr);
  fake_cupti().call(CUPTI_CB_DOMAIN_RUNTIME_API, 20, CUPTI_API_EXIT, 6, nullptr);
  CHECK(g_program_calls == 2);  // what it enabled, and nothing of ours
  CHECK(recorded<trace::Api>().size() == 2);

  // what it switches off stays on for us, and the other way round
  cuptiEnableCallback(0, handle, CUPTI_CB_DOMAIN_RUNTIME_API, 211);
  CHECK(fake_cupti().callbacks.count({CUPTI_CB_DOMAIN_RUNTIME_API, 211}) == 1);
  fake_cupti().call(CUPTI_CB_DOMAIN_RUNTIME_API, 211, CUPTI_API_ENTER, 7, nullptr);
  CHECK(g_program_calls == 2);
  cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API, 22);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  CHECK(g_mode == Mode::Yielded);
  CHECK(fake_cupti().callbacks == std::set<std::pair<int, int>>{{CUPTI_CB_DOMAIN_RUNTIME_API, 22}});
  cuptiUnsubscribe(handle);
  CHECK(fake_cupti().callback == nullptr);
}

TEST_CASE("a program that holds CUPTI before the recording keeps it") {
  reset_all();
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  start();
  CHECK(g_mode == Mode::Yielded);
  CHECK(count("subscribe") == 0);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
  cuptiActivityFlushAll(1);
  later();
  CHECK(g_mode == Mode::Active);
}

TEST_CASE("a forked child attaches only where its parent never came to") {
  reset_all();
  interpose::cupti::forget_session();
  start();
  CHECK(g_mode == Mode::Active);
  const auto before = fake_cupti().log.size();
  interpose::cupti::forget_session();  // its own child
  start();
  CHECK(g_mode == Mode::Dead);
  CHECK(fake_cupti().log.size() == before);
}

TEST_CASE("nothing is flushed before there is a context") {
  reset_all();
  start();
  const auto before = fake_cupti().log.size();
  if (!interpose::cupti::context_seen()) {
    run_helper(interpose::Round::Periodic);
    CHECK(fake_cupti().log.size() == before);
  }
  interpose::cupti::note_context();
  run_helper(interpose::Round::Periodic);
  CHECK(count("flush 0") == 1);
  CHECK(recorded<trace::DeviceClock>().size() == 1);
}
