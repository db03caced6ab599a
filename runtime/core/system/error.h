#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>

#include <fmt/core.h>

namespace catena {

/// A place in the user's program, or in a model that it read. The strings live as long as the
/// program.
struct SourceLoc {
    /// The file's name; "" when it is not known.
    const char* file = "";
    /// The function's name.
    const char* function = "";
    /// The line, from 1; 0 when it is not known.
    uint32_t line = 0;

    SourceLoc() = default;
    /// Of a place in C++ code.
    SourceLoc(const std::source_location& at)
        : file(at.file_name()), function(at.function_name()), line(at.line()) {}
};
/// "mlp.cpp:42", or "mlp.onnx, Gemm node 'l1/y'"; empty when unknown.
std::string to_string(const SourceLoc& loc);

/// The user's line that this thread is executing; errors show it, and recordings keep it.
SourceLoc current_location();
/// The user's line as far as it is known without asking another language's interpreter (see
/// LocationScope), else unknown. Operations hand on this one or keep it in case of an error.
SourceLoc known_location();

/// A function that finds the line of a program in another language, which takes its interpreter
/// longer than an operation. It is called on the thread in question, only when the line is shown or
/// kept.
using AskLocation = SourceLoc (*)() noexcept;

/// While alive, current_location() is `loc`, or what `ask` gives, unless an outer scope has set it
/// already: the outermost known line is the one the user wrote.
class LocationScope {
public:
    /// A known line.
    explicit LocationScope(const SourceLoc& loc);
    /// A function that finds the line.
    explicit LocationScope(AskLocation ask);
    ~LocationScope();
    LocationScope(const LocationScope&) = delete;

private:
    friend SourceLoc current_location();
    friend SourceLoc known_location();
    union {  // Of the outermost scope alone, so that those within cost little.
        SourceLoc location_;
    };
    /// The outermost scope's function that finds the line; if not null, it replaces location_.
    AskLocation ask_;
    const LocationScope* previous_;
};

/// Base of all errors caused by the user. what() ends with " (at FILE:LINE)" when
/// the user's line is known.
struct Error : std::runtime_error {
    /// With the message, to which the user's line is added when it is known.
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
