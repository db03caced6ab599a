#pragma once

#include <string>

#include "frontend/c_export/c_export_options.h"

namespace catena {

/// Writes a program package as C source: NAME.h and NAME.c, the kernels as an object file, and the
/// states and constants as NAME.weights. Creates the folder. ValueError naming what C cannot
/// express; FileError as Program::load.
CExport export_c(const std::string& package, const std::string& folder,
                 const CExportOptions& options = {});

}  // namespace catena
