#pragma once

#include <string>
#include <vector>

namespace catena::extensions {

bool is_on_path(const std::string& program);
/// Runs a program from PATH without output and waits for it; true on success.
bool run_program(const std::vector<std::string>& command);
/// Replaces a file atomically.
void write_file(const std::string& path, const std::string& content);
/// A file's name without its extension.
std::string stem_of(const std::string& filename);
/// Escapes text for gnuplot's single quotes.
std::string gnuplot_text(const std::string& text);

}  // namespace catena::extensions
