#pragma once

#include <string>

#include "runtime/core/system/log.h"

namespace catena {

/// Logs a line (log.h) the first time that the process has it. After a thousand different lines it
/// says so once and logs no more. Any thread may call it.
void notice_once(const std::string& line, LogLevel level = LogLevel::warning);

/// Suppresses this thread's log lines about its arrays while alive: for code that runs at sizes
/// that nobody asked for.
class QuietScope {
public:
    QuietScope();
    ~QuietScope();
    QuietScope(const QuietScope&) = delete;
};
bool is_quiet();

}  // namespace catena
