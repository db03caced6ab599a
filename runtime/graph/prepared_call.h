#pragma once

#include <cstddef>
#include <span>

#include "runtime/graph/op.h"

namespace catena {

/// A call of an op's host kernel that is made again and again with arrays of the same types and
/// strides and the same attributes, as in a compiled program. It keeps what the kernel would look
/// up or make at every call. One call at a time: a program that several threads run has one of
/// these, and its calls are serialised.
class PreparedCall {
public:
    virtual ~PreparedCall() = default;
    /// The memory that the next run would like to work in. It may change, from run to run and with
    /// the number of threads.
    virtual size_t scratch_bytes() const = 0;
    /// As OpDef::kernel, with the same bits. `scratch` begins at a multiple of 64; with less than
    /// scratch_bytes(), memory is taken from the pool.
    virtual void run(const KernelCall& call, std::span<std::byte> scratch) = 0;
};

}  // namespace catena
