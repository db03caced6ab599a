#pragma once

#include <CLI/CLI.hpp>

namespace catena::tool {

// Each adds one subcommand to the program; its callback throws catena::Error on a user's mistake.
void add_info(CLI::App& program);
void add_call(CLI::App& program);
void add_bench(CLI::App& program);
void add_launch(CLI::App& program);
void add_run(CLI::App& program);
void add_show(CLI::App& program);
void add_compile(CLI::App& program);
void add_export(CLI::App& program);

inline const CLI::App* find_subcommand(const CLI::App& program, const std::string& name) {
    const auto found = program.get_subcommands(
        [&](const CLI::App* command) { return command->get_name() == name; });
    return found.empty() ? nullptr : found.front();
}

}  // namespace catena::tool
