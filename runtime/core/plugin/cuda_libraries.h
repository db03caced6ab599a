#pragma once

#include <string>
#include <vector>

namespace catena {

/// Files to try for a library of CUDA's, in this order: what the environment variable names, alone;
/// else `names` as the loader finds them, then below CUDA_HOME and /usr/local/cuda, then in
/// python_library_folders().
std::vector<std::string> cuda_library_files(const char* variable,
                                            const std::vector<std::string>& names);

/// The folders nvidia/*/lib in which Python packages have CUDA's libraries: in the environments
/// that VIRTUAL_ENV and CONDA_PREFIX name, and in those of the python3 found in PATH. No process is
/// started.
std::vector<std::string> python_library_folders();

}  // namespace catena
