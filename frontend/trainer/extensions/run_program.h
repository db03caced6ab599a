#pragma once

#include <string>
#include <vector>

namespace catena::extensions {

bool is_on_path(const std::string& program);
/// Runs a program of the PATH, silently, and waits for it; true when it succeeded.
bool run_program(const std::vector<std::string>& command);
/// The file as a whole, or the one that was there before.
void write_file(const std::string& path, const std::string& content);
/// A file's name without what follows its last dot.
std::string stem_of(const std::string& filename);
/// Text between gnuplot's single quotes.
std::string gnuplot_text(const std::string& text);

}  // namespace catena::extensions
