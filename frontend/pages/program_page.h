#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/program/schedule/executable.h"

namespace catena::pages {

/// What a page shows of one compiled program.
struct ProgramSection {
    std::string name;
    std::vector<LaunchReport> launches;                       ///< In the order in which they run.
    std::vector<std::pair<std::string, std::string>> stages;  ///< Names and texts, in order.
    std::vector<std::string> notes;                           ///< Why operations were not fused.
    int border = -1;               ///< The launch before which the second call of a program begins.
    std::string border_text = {};  ///< What stands there.
};

/// A page with launches as boxes and stages side by side. All texts may come from a file of unknown
/// origin.
std::string program_page(const std::string& title, const std::vector<std::string>& lines,
                         const std::vector<ProgramSection>& programs);

/// The notes of the passes that are about an operation of this launch.
std::vector<std::string> notes_about(const LaunchReport& launch,
                                     const std::vector<std::string>& notes);

}  // namespace catena::pages
