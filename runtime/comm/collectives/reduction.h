#pragma once

#include <cstdint>

namespace catena {

/// How an all-reduce combines.
enum class Reduction : uint8_t {
    sum,
    mean,  ///< The sum divided by the number of ranks, rounded once; floats only.
};

/// In which order the arrays of the ranks are added. Either way all ranks get the same bits.
enum class Sums : uint8_t {
    /// In rank order, whatever the transport, and however gradients are packed: the same bits in
    /// every run.
    rank_order,
    /// In the order that takes the fewest messages, or as the library (MPI) does it: it may depend
    /// on the number of ranks, the size of the array and the library.
    engine,
};

}  // namespace catena
