#pragma once

#include <cstddef>
#include <span>

#include "runtime/graph/op/op.h"

namespace catena {

/// A prepared call of an op's host kernel, which is repeated with arrays of the same types and
/// strides and the same attributes, as in a compiled program. It keeps what the kernel would look
/// up or make at every call. Calls must not overlap: a program that several threads run has one
/// object, and runs it for one thread at a time.
class PreparedCall {
public:
    virtual ~PreparedCall() = default;
    /// The scratch memory that the next run would like, in bytes. It may change from run to run and
    /// with the number of threads.
    virtual size_t scratch_bytes() const = 0;
    /// Runs the kernel, with the same bits as OpDef::kernel. `scratch` must be 64-byte aligned;
    /// with less than scratch_bytes(), memory is taken from the pool.
    virtual void run(const KernelCall& call, std::span<std::byte> scratch) = 0;
};

}  // namespace catena
