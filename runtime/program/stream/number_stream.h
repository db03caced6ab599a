#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/core/system/hash.h"

// A program as a row of numbers: sizes, places, and who reads what. Two programs that differ only
// in how often loops were run differ in numbers, and in how often parts of the row are repeated.

namespace catena::program {

struct StreamToken {
    /// A hash of all that stands before the number and is not a number itself. Odd: see is_size().
    uint64_t form = 0;
    int64_t number = 0;
    /// Whether the number is a size of an array.
    bool is_size() const { return form & 1; }
    friend bool operator==(const StreamToken&, const StreamToken&) = default;
};
using NumberStream = std::vector<StreamToken>;

/// Writes a NumberStream.
class StreamWriter {
public:
    void form(uint64_t value) { form_ = mixed_hash(form_, value); }
    void form(std::string_view text) { form(std::hash<std::string_view>()(text)); }
    void number(int64_t value, bool is_size = false) {
        tokens_.push_back({(form_ & ~uint64_t(1)) | uint64_t(is_size), value});
        form_ = 1;
    }
    void reserve(size_t tokens) { tokens_.reserve(tokens); }
    size_t size() const { return tokens_.size(); }
    /// Ends it: what stood behind the last number counts, too.
    NumberStream take() {
        number(0);
        return std::move(tokens_);
    }

private:
    NumberStream tokens_;
    uint64_t form_ = 1;
};

}  // namespace catena::program
