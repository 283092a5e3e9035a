// The overview's part of the JSON contract (SCHEMA.md), both ways. Reading throws on wrong types
// and on numbers that point nowhere.
#pragma once
#include <nlohmann/json.hpp>

#include "collector/model.h"

namespace gpustall::collect {

nlohmann::ordered_json overview_json(const Overview& overview);
nlohmann::ordered_json worker_time_json(const WorkerTime& worker);

Overview read_overview(const nlohmann::json& j);
WorkerTime read_worker_time(const nlohmann::json& j);

}  // namespace gpustall::collect
