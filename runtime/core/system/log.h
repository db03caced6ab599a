#pragma once

#include <functional>
#include <string_view>

namespace catena {

/// How much a line of the library matters. What a program asked for (PrintReport, CATENA_TIME=1) is
/// no such line.
enum class LogLevel {
    quiet,    ///< As a level to set: nothing is said.
    error,    ///< Something failed and no exception tells it: a second error, a rank that ends.
    warning,  ///< What is probably meant otherwise, or is done in a slower way.
    info,     ///< What goes on: a download, a resumed training.
};

/// What is said: lines up to this level. CATENA_LOG, or else info. ValueError where the variable is
/// none of quiet, error, warning and info.
LogLevel log_level();
void set_log_level(LogLevel level);  ///< For the whole process, instead of CATENA_LOG.

/// Takes the lines up to log_level(), without "catena: " and without a line break at their end. Any
/// thread may call it, several at a time.
using LogCallback = std::function<void(LogLevel, std::string_view line)>;
/// What is said goes to `callback` instead of standard error; null: to standard error again. Gives
/// the callback before. A line whose callback throws goes to standard error.
///
///     ct::set_log_callback([](ct::LogLevel, std::string_view line) { my_log.write(line); });
LogCallback set_log_callback(LogCallback callback);

/// Says a line: the only way in which the library says anything by itself.
void say(LogLevel level, std::string_view line) noexcept;
/// Whether say() would say something of this level.
bool is_said(LogLevel level) noexcept;
bool has_log_callback() noexcept;

}  // namespace catena
