// Numbers as people read them. Exact nanoseconds stay in --json and `gaps`; here they are rounded,
// and rows are rounded together so that what is printed still adds up to the printed total.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gpustall::cli {

// "226.8": milliseconds with `decimals` places.
std::string milliseconds(double ns, int decimals);
// Places that show three significant digits of the largest number in a column.
int decimals_for(double largest_ns);
// "1.73 s", "443 ms", "12.4 us": with a unit, three significant digits.
std::string duration(double ns);
// "58.3 %"
std::string percent(double fraction);
// "0.998", "51.4", "5,620": three significant digits of what is no time.
std::string quantity(double number);
// "1,234,567"
std::string grouped(uint64_t number);

// Rounds parts to multiples of `unit` so that their sum is the rounded sum of all (largest
// remainder first). Parts are not negative.
std::vector<int64_t> round_together(const std::vector<double>& parts, double unit);

}  // namespace gpustall::cli
