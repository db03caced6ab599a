#pragma once

#include <mutex>

namespace catena {

/// The mutex that is held while Storage::forms of any storage is changed or searched. It is not
/// held while a form is made.
std::mutex& derived_forms_mutex();

}  // namespace catena
