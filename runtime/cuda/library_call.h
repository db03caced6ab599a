#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/core/array/code_device.h"
#include "runtime/cuda/capture.h"
#include "runtime/cuda/driver.h"
#include "runtime/graph/op.h"

namespace catena::cuda {

/// What takes calls of some ops in place of generated kernels. Its plans are kept by shape.
class LibraryProvider {
public:
    virtual ~LibraryProvider() = default;
    /// By types and attributes alone.
    virtual bool takes(const KernelCall& call) = 0;
    /// False when the library knows no way after all. The context is current. DeviceError with the
    /// library's words.
    virtual bool launch(const KernelCall& call) = 0;
};

/// Where a provider works.
struct LibraryPlace {
    CodeDevice& device;
    CUstream stream;
    std::function<size_t()> most_workspace = [] {
        return size_t(256) << 20;
    };  ///< Of one call, in bytes.
};

/// Where the calling thread's work goes: to the place's stream, or into a graph.
inline CUstream stream_in(const LibraryPlace& place) {
    const Capture* capture = Capture::of(place.device.name());
    return capture ? capture->stream() : place.stream;
}

/// Says once on standard error, for each op, shapes and reason, that a library does not compute a
/// call that it is meant for, or not in its best way, and what does instead.
void note_decline(const LibraryPlace& place, const KernelCall& call, const std::string& reason,
                  const char* instead);
inline constexpr const char* generated_kernel = "a generated kernel";

/// Says that `what` is generated because the library is not there; nothing where `variable` is
/// /none.
void note_missing(const LibraryPlace& place, const char* variable, const std::string& complaint,
                  const char* what);

/// cuBLASLt for contractions; null where its header was not there at build time.
std::unique_ptr<LibraryProvider> make_contractions(LibraryPlace place);
/// cuDNN for convolutions, average pooling and batch normalization; null as above.
std::unique_ptr<LibraryProvider> make_windows(LibraryPlace place);

/// "cuBLASLt 13.0", or "no cuBLASLt: not there (tried ...)".
std::string cublas_lt_version();
std::string cudnn_version();

}  // namespace catena::cuda
