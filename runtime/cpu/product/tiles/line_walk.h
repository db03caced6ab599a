#pragma once

#include <cstdint>

namespace catena {

/// Walks over the 64-byte lines of a matrix of floats, row by row, to prefetch them into a cache.
class LineWalk {
public:
    LineWalk() = default;  ///< A walk over nothing.
    /// A walk over rows `row_step` apart. Rows that do not begin at a cache line may touch one line
    /// more.
    LineWalk(const float* first, int64_t row_step, int64_t rows, int64_t columns)
        : row_(first), row_step_(row_step), rows_(columns > 0 ? rows : 0) {
        const bool is_aligned =
            uintptr_t(first) % (line * sizeof(float)) == 0 && row_step % line == 0;
        width_ = columns + (is_aligned ? 0 : line - 1);
    }

    bool is_done() const { return rows_ <= 0; }
    /// The number of lines of all rows that are left.
    int64_t lines() const { return rows_ * ((width_ + line - 1) / line); }
    /// An address in the next line; null after the last.
    const float* next() {
        if (is_done()) return nullptr;
        const float* const at = row_ + column_;
        column_ += line;
        if (column_ >= width_) column_ = 0, row_ += row_step_, --rows_;
        return at;
    }

private:
    static constexpr int64_t line = 16;

    const float* row_ = nullptr;
    int64_t row_step_ = 0, rows_ = 0, width_ = 0, column_ = 0;
};

}  // namespace catena
