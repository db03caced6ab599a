#pragma once

#include <string>

#include "frontend/c_export/c_export.h"

namespace catena::tool {

/// Prints what was written to `folder`, what it needs and how it is linked.
void print_c_export(const std::string& folder, const CExport& made);

}  // namespace catena::tool
