#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/program/schedule/executable.h"

namespace catena::pages {

/// The part of a page about one compiled program.
struct ProgramSection {
    std::string name;
    std::vector<LaunchReport> launches;  ///< The launches, in the order in which they run.
    /// Names and texts of the compilation's stages, in order.
    std::vector<std::pair<std::string, std::string>> stages;
    std::vector<std::string> notes;  ///< The reasons why operations were not fused.
    /// Index of the first launch of the second part of a program; -1: it has one part.
    int border = -1;
    std::string border_text = {};  ///< The text at that border.
};

/// A page with launches as boxes and stages side by side. All texts may come from a file of unknown
/// origin.
std::string program_page(const std::string& title, const std::vector<std::string>& lines,
                         const std::vector<ProgramSection>& programs);

/// The notes of the passes that are about an operation of this launch.
std::vector<std::string> notes_about(const LaunchReport& launch,
                                     const std::vector<std::string>& notes);

}  // namespace catena::pages
