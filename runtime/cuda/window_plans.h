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

    struct Choice {
        std::optional<Plan> plan;      ///< Nothing when cuDNN knows no way.
        size_t most_workspace = 0;     ///< That was allowed then.
        size_t skipped_workspace = 0;  ///< What a better engine wanted; 0: there was none.
        bool noted = false;            ///< Whoever asks may have told the user.
    };
    /// Operands are those of window_operands() or normalization_operands(); `most_workspace` is asked where a plan is made.
    /// CudnnError.
    Choice& find(LibraryRole role, const Operands& operands, const Attributes& attributes,
                 const std::function<size_t()>& most_workspace);

private:
    Choice restore_or_make(const std::string& key, LibraryRole role, const Operands& operands,
                           const Attributes& attributes, size_t most_workspace) const;
    Choice make(LibraryRole role, const Operands& operands, const Attributes& attributes, size_t most_workspace) const;

    EngineSource source_;
    PlanStore store_;
    std::map<std::string, Choice> choices_;
};

}  // namespace catena::cuda

#endif
