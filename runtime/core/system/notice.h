#pragma once

#include <string>

#include "runtime/core/system/log.h"

namespace catena {

/// Says a line (log.h), the first time that the process has it. After a thousand lines it says so
/// and says no more. Any thread may call it.
void notice_once(const std::string& line, LogLevel level = LogLevel::warning);

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
