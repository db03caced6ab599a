#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/capture/region.h"

namespace catena::capture {

/// A compiled program of a region: a segment of its code, or its gradients.
struct CompiledProgram {
    std::shared_ptr<void> owner;
    std::shared_ptr<const Trace> trace;
    Executable* executable = nullptr;
};
/// Those for one key; forward and backward that were compiled together are two.
std::vector<CompiledProgram> compiled_programs(const Entry& entry);

/// A program as it was compiled, for a page: forward and backward that were compiled together are
/// one.
struct WholeProgram : CompiledProgram {
    int border = -1;  ///< The first launch of backward; -1: it is not in two parts.
    std::string border_text = {};
};
std::vector<WholeProgram> whole_programs(const Entry& entry);

/// All launches of these programs, the most expensive first.
RegionProfile profile_of(const std::string& region, const std::vector<CompiledProgram>& programs);

/// What was fused and what it costs, in a few lines: the beginning of explain().
std::string summary_of(const std::vector<CompiledProgram>& programs,
                       const StaticGraphStatistics& statistics);
/// The most expensive launches, and why they are apart from their neighbours.
std::string costs_of(const std::string& region, const std::vector<CompiledProgram>& programs);

/// Each line once, with its number; lines that differ in the shapes they name alone are one line.
std::string folded(const std::vector<std::string>& lines, const std::string& indent);

}  // namespace catena::capture
