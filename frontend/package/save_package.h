#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/static_graph/call/exported_program.h"
#include "frontend/static_graph/call/options.h"

namespace catena {

/// Compiles a program, whose arrays are on `device`, and writes the package. `record` returns the
/// program for arguments of other types.
void save_package(const std::string& path, const std::vector<Type>& arguments,
                  const PackageOptions& options, Device& device,
                  const std::function<ExportedProgram(const std::vector<Type>&)>& record);

}  // namespace catena
