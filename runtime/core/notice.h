#pragma once

#include <string>

namespace catena {

/// Prints "catena: LINE" to standard error, the first time that the process has this line. After a thousand lines it says so and
/// prints no more. Any thread may call it.
void notice_once(const std::string& line);

}  // namespace catena
