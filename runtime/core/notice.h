#pragma once

#include <string>

namespace catena {

/// Prints "catena: LINE" to standard error, the first time that the process has this line. After a
/// thousand lines it says so and prints no more. Any thread may call it.
void notice_once(const std::string& line);

/// While one lives, what this thread's code has to say of its arrays is not said: it runs at sizes
/// that nobody asked for.
class QuietScope {
public:
    QuietScope();
    ~QuietScope();
    QuietScope(const QuietScope&) = delete;
};
bool is_quiet();

}  // namespace catena
