#pragma once

#include <memory>
#include <string>

#include "runtime/cuda/cudnn/cudnn_descriptor.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::testing {

/// The real cuDNN, asked for plans of a device that is not there: of a known GPU, by its
/// properties. Kernels that cuDNN compiles are loaded by a double of the driver that takes
/// everything.
class DevicelessCudnn {
public:
    /// "sm_80", an A100, or "sm_90", an H100.
    explicit DevicelessCudnn(const std::string& architecture);

    const std::string& complaint() const {
        return complaint_;
    }  ///< Why this is not possible here; "" when it is.
    const cuda::Descriptor& properties() const { return *properties_; }

private:
    std::string complaint_;
    std::unique_ptr<cuda::Descriptor> properties_;
};

}  // namespace catena::testing

#endif
