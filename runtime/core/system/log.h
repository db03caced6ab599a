#pragma once

#include <functional>
#include <string_view>

namespace catena {

/// How important a line of the library's log is. Output that a program asked for (PrintReport,
/// CATENA_TIME=1) is no log line.
enum class LogLevel {
    quiet,    ///< Only for set_log_level(): nothing is printed.
    error,    ///< A failure that no exception reports: a second error, a rank that ends.
    warning,  ///< A probable mistake, or work that is done in a slower way.
    info,     ///< The course of events: a download, a resumed training.
};

/// The level up to which lines are printed: CATENA_LOG, or else info. ValueError where the variable
/// is none of quiet, error, warning and info.
LogLevel log_level();
/// Sets the log level of the whole process, instead of CATENA_LOG.
void set_log_level(LogLevel level);

/// A function that receives log lines up to log_level(), without "catena: " and without a line
/// break at their end. Any thread may call it, several at a time.
using LogCallback = std::function<void(LogLevel, std::string_view line)>;
/// Sends log lines to `callback` instead of standard error; null: to standard error again. Returns
/// the previous callback. A line whose callback throws goes to standard error.
///
///     ct::set_log_callback([](ct::LogLevel, std::string_view line) { my_log.write(line); });
LogCallback set_log_callback(LogCallback callback);

/// Logs a line: the only way in which the library prints anything by itself.
void say(LogLevel level, std::string_view line) noexcept;
/// Whether say() would print a line of this level.
bool is_said(LogLevel level) noexcept;
/// Whether a callback is set.
bool has_log_callback() noexcept;

}  // namespace catena
