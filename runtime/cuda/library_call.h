#pragma once

#include <memory>

#include "runtime/core/code_device.h"
#include "runtime/cuda/driver.h"
#include "runtime/ops/op.h"

namespace catena::cuda {

/// What takes calls of some ops in place of generated kernels. Its plans are kept by shape.
class LibraryProvider {
public:
    virtual ~LibraryProvider() = default;
    /// By types and attributes alone.
    virtual bool takes(const KernelCall& call) = 0;
    /// False when the library knows no way after all. The context is current. DeviceError with the library's words.
    virtual bool launch(const KernelCall& call) = 0;
};

/// Where a provider works.
struct LibraryPlace {
    CodeDevice& device;
    CUstream stream;
};

/// cuBLASLt for contractions; null where its header was not there at build time.
std::unique_ptr<LibraryProvider> make_contractions(LibraryPlace place);
/// cuDNN for convolutions, average pooling and batch normalization; null as above.
std::unique_ptr<LibraryProvider> make_windows(LibraryPlace place);

/// "cuBLASLt 13.0", or "no cuBLASLt: not there (tried ...)".
std::string cublas_lt_version();
std::string cudnn_version();

inline char* address_in(const Array& array) {
    return static_cast<char*>(array.storage()->data) + array.body()->offset * int64_t(size_of(array.dtype()));
}

}  // namespace catena::cuda
