// A CUPTI that does what a test tells it, in place of the one that cupti_api.cpp would find.
#pragma once
#include <cupti.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gpustall::test {

struct FakeCupti {
  bool present = true;
  uint32_t version = 130001;
  CUptiResult subscribe_result = CUPTI_SUCCESS;
  CUptiResult kernels_result = CUPTI_SUCCESS;
  std::vector<size_t> strides = std::vector<size_t>(128, 0);  // bytes of a record, by kind
  size_t dropped = 0;                                         // answered once
  // what the source did
  std::vector<std::string> log;
  std::set<std::pair<int, int>> callbacks;  // enabled (domain, cbid)
  std::set<int> kinds;
  CUpti_CallbackFunc callback = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_TimestampCallbackFunc timestamps = nullptr;
  uint8_t zeroed_attribute = 0;
  int stream_queries = 0;

  void call(CUpti_CallbackDomain domain, uint32_t cbid, CUpti_ApiCallbackSite site,
            uint32_t correlation, const void* params, int result = 0);
  // Hands `records` over in a buffer that the source provides.
  void deliver(const std::vector<std::vector<uint8_t>>& records);
};
FakeCupti& fake_cupti();
// A fresh fake, a fresh recorder and a fresh session.
void reset_all();

}  // namespace gpustall::test
