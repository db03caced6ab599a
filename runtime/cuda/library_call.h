#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/core/array/code_device.h"
#include "runtime/cuda/capture.h"
#include "runtime/cuda/driver.h"
#include "runtime/graph/op/op.h"

namespace catena::cuda {

/// A vendor library that computes calls of some ops instead of generated kernels. Its plans are
/// cached by shape.
class LibraryProvider {
public:
    virtual ~LibraryProvider() = default;
    /// Whether the library should compute the call, judged by types and attributes alone.
    virtual bool takes(const KernelCall& call) = 0;
    /// Computes the call; false when the library finds no way to do so. The device's context must
    /// be current. DeviceError with the library's words.
    virtual bool launch(const KernelCall& call) = 0;
};

/// The device, the stream and the memory limit of a provider.
struct LibraryPlace {
    CodeDevice& device;
    CUstream stream;
    /// The most memory of one call, in bytes.
    std::function<size_t()> most_workspace = [] { return size_t(256) << 20; };
};

/// The stream of the calling thread's work: the place's, or that of a capture.
inline CUstream stream_in(const LibraryPlace& place) {
    const Capture* capture = Capture::of(place.device.name());
    return capture ? capture->stream() : place.stream;
}

/// Prints once, for each op, shapes and reason, that a library does not compute a call that it is
/// meant for, or not in its best way, and what computes it instead.
void note_decline(const LibraryPlace& place, const KernelCall& call, const std::string& reason,
                  const char* instead);
inline constexpr const char* generated_kernel = "a generated kernel";

/// Tells a profile how a library computes the call that it was given: "cuDNN engine 58, workspace
/// 12.0 MiB". `tf32`: it may round factors of float32.
void tell_library_method(std::string method, size_t workspace, bool tf32);

/// Prints that kernels for `what` are generated because the library is missing; nothing where
/// `variable` is /none.
void note_missing(const LibraryPlace& place, const char* variable, const std::string& complaint,
                  const char* what);

/// The provider of contractions by cuBLASLt; null if its header was not there at build time.
std::unique_ptr<LibraryProvider> make_contractions(LibraryPlace place);
/// The provider of convolutions, average pooling and batch normalization by cuDNN; null if its
/// header was not there at build time.
std::unique_ptr<LibraryProvider> make_windows(LibraryPlace place);

/// The version of cuBLASLt, "cuBLASLt 13.0", or "no cuBLASLt: not there (tried ...)".
std::string cublas_lt_version();
std::string cudnn_version();

}  // namespace catena::cuda
