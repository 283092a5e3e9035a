// The folder of a run: named after the script and the time, created exclusively, never overwritten;
// a folder that cannot be written is a complaint before the program starts.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpustall::cli {

// "train" of "python -u train.py --lr 1", "pkg.train" of "python -m pkg.train", else the command.
std::string run_name(const std::vector<std::string>& command);

// The rank that the launcher of this process gave it (RANK, SLURM_PROCID, ...); empty: none.
std::string rank_of_environment();

// %r %p %h %q{VAR} filled in. Throws Failure (usage) for a variable that is not set.
std::string expand_pattern(std::string_view pattern);

// Creates the folder and returns its absolute path. `wanted` empty: the default name for `name` in
// the current folder. Throws Failure.
std::string create_output(const std::string& wanted, const std::string& name, bool force);

// 32 hex digits, the same for all processes of one run.
std::string new_run_id();

}  // namespace gpustall::cli
