#pragma once

#include <vector>

#include "frontend/capture/path/pointer_table.h"
#include "runtime/core/array/array.h"

namespace catena::capture {

/// Whether two arrays of one type have the same elements, bit by bit.
bool same_bits(const Array& a, const Array& b);

/// Inputs that somebody outside may write to without being noticed, each with a copy of what the
/// operations of a segment have read. The program runs when the code has gone on: it reads the
/// copies. They are kept for the segments after a cut, where nothing was written.
class WatchedInputs {
public:
    /// Before an operation reads `part`: `input`, an array from outside, or a view of it. False:
    /// an earlier operation of the segment has read other elements there.
    bool read(const Array& input, const ArrayBody& part);
    /// Whether all that was read in the segment is as it was.
    bool are_unchanged() const;
    /// What operations of the segment have read of an input; null where it was not watched.
    const Array* content(const Array& input);
    void begin_segment();
    void clear();

private:
    struct Watched {
        Array input;
        Array copy;  ///< The elements that were read, row-major.
        bool is_read = false;

        bool holds(const ArrayBody& part) const;
    };
    std::vector<Watched> all_;
    PointerTable places_;  ///< The watched inputs by their bodies: indices in `all_`.
};

}  // namespace catena::capture
