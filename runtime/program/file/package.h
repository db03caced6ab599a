#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "runtime/core/array/array.h"

// The file of a compiled program: a zip archive of
//   manifest.json      ports, states, scalars, code; size and checksum of every entry
//   schedule.json      launches and memory, see schedule_json.h
//   states/NAME.npy    parameters, moments, counters, the random state
//   constants/N.npy    constant arrays of the program
//   code/LEVEL.so, .o  kernels for one kind of processor, as a library to load and an object to
//   link cuda/schedule.json the schedule for CUDA devices; a package has either or both
//   cuda/sm_90.0.cubin kernels for one architecture; cuda/compute_90.0.ptx PTX, cuda/text.0.cu
//   source stages/NAME.EXT    the program as text, from the recorded one to assembly

namespace catena::program {

/// Files of a later version are rejected.
inline constexpr int package_version = 2;

struct Package {
    std::map<std::string, std::string> texts;  ///< All entries except arrays and the manifest.
    std::map<std::string, Array> arrays;       ///< The arrays by entry name, "states/l1/W.npy".
};

/// The manifest and all entries; every checksum is checked. FileError naming file and entry.
Package read_package(const std::string& path, nlohmann::json& manifest);
/// Completes `manifest` with format, version and the list of entries.
void write_package(const std::string& path, nlohmann::json manifest, const Package& package,
                   bool compressed = true);

}  // namespace catena::program
