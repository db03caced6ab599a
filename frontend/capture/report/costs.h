#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/capture/region/region.h"

namespace catena::capture {

/// A compiled program of a region: a segment of its code, or its gradients.
struct CompiledProgram {
    std::shared_ptr<void> owner;
    std::shared_ptr<const Trace> trace;
    Executable* executable = nullptr;
};
/// The compiled programs for one key. Forward and backward that were compiled together are listed
/// as two.
std::vector<CompiledProgram> compiled_programs(const Entry& entry);

/// A compiled program for a page of a report. Forward and backward that were compiled together are
/// one.
struct WholeProgram : CompiledProgram {
    /// Index of the first launch of backward; -1: the program has no backward part.
    int border = -1;
    std::string border_text = {};
};
std::vector<WholeProgram> whole_programs(const Entry& entry);

/// All launches of these programs, the most expensive first.
RegionProfile profile_of(const std::string& region, const std::vector<CompiledProgram>& programs);

/// A summary, in a few lines, of what was fused and what it costs: the beginning of explain().
std::string summary_of(const std::vector<CompiledProgram>& programs,
                       const StaticGraphStatistics& statistics);
/// The most expensive launches, and why each is not fused with its neighbours, in words.
std::string costs_of(const std::string& region, const std::vector<CompiledProgram>& programs);

/// The lines, each once with its number of occurrences. Lines that differ only in the shapes that
/// they name count as one.
std::string folded(const std::vector<std::string>& lines, const std::string& indent);

}  // namespace catena::capture
