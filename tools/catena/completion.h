#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace catena::tool {

/// A function that gives the values that an option or an argument may take, from the words of the
/// command line before it.
using Values = std::function<std::vector<std::string>(std::span<const std::string> before)>;

/// Registers the values of an option for completion. An option without values takes a file.
void complete_with(CLI::Option* option, Values values);

/// The words that may complete the last of `words`, which follow "catena" on a command line:
/// subcommands, options and values that begin with it, one a line, with a tab and a description if
/// there is one. Nothing: a file.
std::string completions(const CLI::App& program, std::span<const std::string> words);

/// Answers `catena complete -- WORDS`, which the shells call, by printing the completions. Must be
/// called before options are parsed: the words are not the program's own. False: the command line
/// is another one.
bool answer_completion(const CLI::App& program, int argc, char** argv);
/// Adds the subcommand `completion`, which prints the shells' scripts.
void add_completion(CLI::App& program);

}  // namespace catena::tool
