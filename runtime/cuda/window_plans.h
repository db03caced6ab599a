#pragma once

#include "runtime/cuda/cudnn_operations.h"

#ifdef CATENA_HAS_CUDNN

#include <functional>
#include <map>

namespace catena::cuda {

/// Where texts of plans outlive the process. Empty functions: nowhere.
struct PlanStore {
    std::function<std::optional<std::string>(const std::string& key)> find;
    std::function<void(const std::string& key, const std::string& text)> keep;
};

/// Plans by what they were made for: role, attributes, and each tensor's dtype, sizes, steps and alignment.
/// Those that take long to make are stored.
class WindowPlans {
public:
    explicit WindowPlans(EngineSource source, PlanStore store = {}) : source_(source), store_(std::move(store)) {}
    /// Null when cuDNN knows no way. Operands are those of window_operands() or normalization_operands(). CudnnError.
    const Plan* find(LibraryRole role, const Operands& operands, const Attributes& attributes);

private:
    std::optional<Plan> restore_or_make(const std::string& key, LibraryRole role, const Operands& operands,
                                        const Attributes& attributes) const;
    std::optional<Plan> make(LibraryRole role, const Operands& operands, const Attributes& attributes) const;

    EngineSource source_;
    PlanStore store_;
    std::map<std::string, std::optional<Plan>> plans_;
};

}  // namespace catena::cuda

#endif
