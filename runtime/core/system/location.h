#pragma once

#include <cstdint>
#include <source_location>
#include <string>

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
    /// A place in C++ code.
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

/// While alive, lines set by outer scopes are ignored: the code that runs now sets its own.
class ForgetLocation {
public:
    ForgetLocation();
    ~ForgetLocation();
    ForgetLocation(const ForgetLocation&) = delete;

private:
    const uintptr_t previous_;
};

/// Declares that the program is written in another language than C++. Errors and recordings then
/// call `ask` for the running line where no LocationScope knows it, or where one knows only a C++
/// line of the binding.
void set_host_language(AskLocation ask);

}  // namespace catena
