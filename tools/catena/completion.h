#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace catena::tool {

/// Values that an option or an argument may take, given the words of the command line before it.
using Values = std::function<std::vector<std::string>(std::span<const std::string> before)>;

/// Tells the completion of them. Whatever has none is a file.
void complete_with(CLI::Option* option, Values values);

/// What may stand for the last of `words`, which follow "catena" on a command line: subcommands,
/// options and values that begin with it, one a line, with a tab and what it is where there is
/// something to say. Nothing: a file.
std::string completions(const CLI::App& program, std::span<const std::string> words);

/// `catena complete -- WORDS`, which the shells ask, prints them. It is read before all options:
/// the words are not its own. False: the command line is something else.
bool answer_completion(const CLI::App& program, int argc, char** argv);
/// The subcommand `completion` prints the shells' scripts.
void add_completion(CLI::App& program);

}  // namespace catena::tool
