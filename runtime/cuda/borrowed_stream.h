#pragma once

#include <string>

#include "runtime/cuda/driver.h"

namespace catena::cuda {

/// A stream beside the device's own, in the context that is current when it is made. Streams are
/// reused instead of destroyed, because the driver's table has no call that ends one.
class BorrowedStream {
public:
    explicit BorrowedStream(const std::string& device);
    ~BorrowedStream();
    BorrowedStream(const BorrowedStream&) = delete;
    CUstream get() const { return stream_; }

private:
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
};

}  // namespace catena::cuda
