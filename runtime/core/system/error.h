#pragma once

#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include "runtime/core/system/location.h"

namespace catena {

/// Base of all errors caused by the user. what() ends with " (at FILE:LINE)" when
/// the user's line is known.
struct Error : std::runtime_error {
    explicit Error(const std::string& message);
};
struct ShapeError : Error {
    using Error::Error;
};
struct DtypeError : Error {
    using Error::Error;
};
struct DeviceError : Error {
    using Error::Error;
};
struct CompileError : Error {
    using Error::Error;
};
struct ValueError : Error {
    using Error::Error;
};
struct FileError : Error {
    using Error::Error;
};
/// A host read, break or unsupported construct inside a static region.
struct TraceError : Error {
    using Error::Error;
};
/// A bug in Catena.
struct InternalError : std::logic_error {
    using std::logic_error::logic_error;
};

template <class E, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw E(fmt::format(format, std::forward<Args>(args)...));
}

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& note);
#define CATENA_ASSERT(condition, note) \
    ((condition) ? void() : ::catena::assertion_failed(#condition, __FILE__, __LINE__, note))

}  // namespace catena
