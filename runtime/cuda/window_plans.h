#pragma once

#include "runtime/cuda/cudnn_operations.h"

#ifdef CATENA_HAS_CUDNN

#include <functional>
#include <unordered_map>
#include <vector>

#include "runtime/core/memory/function_ref.h"

namespace catena::cuda {

/// Where texts of plans outlive the process. Empty functions: nowhere.
struct PlanStore {
    std::function<std::optional<std::string>(const std::string& key)> find;
    std::function<void(const std::string& key, const std::string& text)> keep;
};

/// How a plan is chosen.
struct PlanChoice {
    FunctionRef<size_t()> most_workspace;  ///< Asked where a plan is made.
    bool tf32 = false;                     ///< Tensor cores may round float32.
    /// The index of the fastest of several, which it measures; null: what cuDNN's heuristics hold
    /// for the fastest is taken.
    std::function<size_t(std::span<const Plan>)> fastest_of = nullptr;
};

/// Plans by what they were made for: role, attributes, how they are chosen, and each tensor's
/// dtype, sizes, steps and alignment. Those that take long to make, or to choose, are stored.
class WindowPlans {
public:
    explicit WindowPlans(EngineSource source, PlanStore store = {})
        : source_(source), store_(std::move(store)) {}

    struct Choice {
        std::optional<Plan> plan;      ///< Nothing when cuDNN knows no way.
        size_t most_workspace = 0;     ///< That was allowed then.
        size_t skipped_workspace = 0;  ///< What a better engine wanted; 0: there was none.
        bool noted = false;            ///< Whoever asks may have told the user.
        bool has_run = false;          ///< The plan has been executed.
        std::string
            refusal;  ///< Why cuDNN did not execute a plan that it had made; there is none then.
    };
    /// Operands are those of window_operands() or normalization_operands(). CudnnError.
    Choice& find(LibraryRole role, const Operands& operands, const Attributes& attributes,
                 const PlanChoice& how);

private:
    /// What a plan is made for; `numbers` are all of it but the attributes.
    struct Asked {
        std::vector<int64_t> numbers;
        Attributes attributes;
        bool operator==(const Asked&) const = default;
    };
    struct HashOfAsked {
        size_t operator()(const Asked& asked) const;
    };
    Choice restore_or_make(const std::string& key, LibraryRole role, const Operands& operands,
                           const Attributes& attributes, const PlanChoice& how) const;
    Choice make(LibraryRole role, const Operands& operands, const Attributes& attributes,
                const PlanChoice& how, size_t most_workspace) const;

    EngineSource source_;
    PlanStore store_;
    std::unordered_map<Asked, Choice, HashOfAsked> choices_;
};

}  // namespace catena::cuda

#endif
