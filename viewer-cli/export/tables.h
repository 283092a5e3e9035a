// Gaps, slices, steps and causes as tables for data frames and databases. The columns are a
// contract: SCHEMA.md. In `causes`, the rows of a device add up to its span, to the nanosecond.
#pragma once
#include <array>
#include <optional>

#include "viewer-cli/export/table_text.h"
#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

enum class Table { Causes, Gaps, Slices, Steps };
inline constexpr std::array<std::string_view, 4> kTableNames = {"causes", "gaps", "slices",
                                                                "steps"};

struct TableWish {
  TableFormat format = TableFormat::Csv;
  std::optional<uint32_t> device;  // ordinal
};

void write_table(Table table, TimelineInput& in, const TableWish& wish, TextSink& sink);

}  // namespace gpustall::cli
