#pragma once

#include <string>
#include <vector>

#include "runtime/file/write_file.h"

namespace catena::extensions {

bool is_on_path(const std::string& program);
/// Runs a program from PATH with its output suppressed and waits for it; true on success.
bool run_program(const std::vector<std::string>& command);
/// A file's name without its extension.
std::string stem_of(const std::string& filename);
/// Escapes text for gnuplot's single quotes.
std::string gnuplot_text(const std::string& text);

}  // namespace catena::extensions
