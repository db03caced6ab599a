#pragma once

#include <mutex>

namespace catena {

/// Held while Storage::forms of any storage is changed or searched. Not held while a form is made.
std::mutex& derived_forms_mutex();

}  // namespace catena
