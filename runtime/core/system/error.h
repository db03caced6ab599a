#pragma once

#include <stdexcept>
#include <string>

#include <fmt/core.h>

#include "runtime/core/system/location.h"

namespace catena {

/// Base of all errors caused by the user. what() ends with " (at FILE:LINE)" when
/// the user's line is known.
struct Error : std::runtime_error {
    /// An error with this message, to which the user's line is added when it is known.
    explicit Error(const std::string& message);
};
/// Shapes that do not fit an operation.
struct ShapeError : Error {
    using Error::Error;
};
/// Dtypes that an operation does not take.
struct DtypeError : Error {
    using Error::Error;
};
/// A device that does not exist, lacks memory, or is not the one that an operation needs.
struct DeviceError : Error {
    using Error::Error;
};
/// A program that could not be compiled.
struct CompileError : Error {
    using Error::Error;
};
/// Another argument that does not fit.
struct ValueError : Error {
    using Error::Error;
};
/// A file that is missing, damaged, or cannot be written.
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

/// Throws an error of class E with a formatted message: `fail<ShapeError>("x has {} axes", n)`.
template <class E, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw E(fmt::format(format, std::forward<Args>(args)...));
}

/// Throws the InternalError of a CATENA_ASSERT.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& note);
#define CATENA_ASSERT(condition, note) \
    ((condition) ? void() : ::catena::assertion_failed(#condition, __FILE__, __LINE__, note))

}  // namespace catena
