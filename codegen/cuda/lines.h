#pragma once

#include <string>

#include <fmt/format.h>

namespace catena::codegen::cuda {

/// A writer of lines of C++, indented by the blocks they are in.
class Lines {
public:
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        text_.append(size_t(indent_) * 4, ' ');
        text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
    }
    /// Writes a line that begins a block.
    template <class... Args>
    void open(fmt::format_string<Args...> format, Args&&... args) {
        line(format, std::forward<Args>(args)...);
        ++indent_;
    }
    void close() {
        --indent_;
        line("}}");
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    int indent_ = 1;
};

}  // namespace catena::codegen::cuda
