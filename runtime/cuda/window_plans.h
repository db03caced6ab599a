#pragma once

#include "runtime/cuda/cudnn_operations.h"

#ifdef CATENA_HAS_CUDNN

#include <map>

namespace catena::cuda {

/// Plans by what they were made for: role, attributes, and each tensor's dtype, sizes, steps and alignment.
class WindowPlans {
public:
    explicit WindowPlans(EngineSource source) : source_(source) {}
    /// Null when cuDNN knows no way. Operands are those of window_operands() or normalization_operands(). CudnnError.
    const Plan* find(LibraryRole role, const Operands& operands, const Attributes& attributes);

private:
    std::optional<Plan> make(LibraryRole role, const Operands& operands, const Attributes& attributes) const;

    EngineSource source_;
    std::map<std::string, std::optional<Plan>> plans_;
};

}  // namespace catena::cuda

#endif
