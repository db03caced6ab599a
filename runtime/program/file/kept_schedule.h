#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "runtime/program/schedule/schedule.h"

// A compiled host program on the disk, for later processes of the same build: its schedule, and
// where the code of its kernels is. Other than a package it belongs to one build and one processor,
// and lives in a cache.

namespace catena::program {

/// What decides about the program, wherever its code is and however long it took: equal for two
/// compilations of one recording.
nlohmann::json kept_document(const Schedule& schedule);

/// Nothing for a schedule whose code is not all on the disk, as for devices.
std::optional<std::string> kept_form(const Schedule& schedule);

/// The schedule with its code, which is linked into this process. FileError if the form is damaged,
/// or its code is no longer there.
Schedule schedule_of_kept(std::string_view form);

}  // namespace catena::program
