#pragma once

#include <string>

namespace catena {

/// The processor's name as the system has it: "Intel(R) Xeon(R) Platinum 8581C CPU @ 2.10GHz";
/// "unknown" where it does not say.
std::string processor_name();

}  // namespace catena
