#pragma once

#include "runtime/cuda/cudnn/cudnn_operations.h"

#ifdef CATENA_HAS_CUDNN

#include <functional>
#include <unordered_map>
#include <vector>

#include "runtime/core/memory/function_ref.h"

namespace catena::cuda {

/// Storage in which texts of plans outlive the process. Empty functions: there is none.
struct PlanStore {
    std::function<std::optional<std::string>(const std::string& key)> find;
    std::function<void(const std::string& key, const std::string& text)> keep;
};

/// Options of choosing a plan.
struct PlanChoice {
    /// A function that gives the largest workspace, called when a plan is made.
    FunctionRef<size_t()> most_workspace;
    bool tf32 = false;  ///< Whether tensor cores may round float32.
    /// A function that measures several plans and returns the index of the fastest; null: the one
    /// that cuDNN's heuristics hold for the fastest is taken.
    std::function<size_t(std::span<const Plan>)> fastest_of = nullptr;
};

/// A cache of plans by what they were made for: role, attributes, options, and each tensor's dtype,
/// sizes, strides and alignment. Plans that take long to make, or to choose, are also stored on
/// disk.
class WindowPlans {
public:
    explicit WindowPlans(EngineSource source, PlanStore store = {})
        : source_(source), store_(std::move(store)) {}

    struct Choice {
        std::optional<Plan> plan;   ///< The plan; nothing when cuDNN finds no way.
        size_t most_workspace = 0;  ///< The largest workspace allowed at that time.
        /// The workspace that a better engine would need; 0: there was none.
        size_t skipped_workspace = 0;
        bool noted = false;    ///< A mark for the caller: the user may have been told.
        bool has_run = false;  ///< Whether the plan has been executed.
        /// The reason why cuDNN did not execute a plan that it had made; then there is no plan.
        std::string refusal;
    };
    /// Finds or makes the choice. Operands are those of window_operands() or
    /// normalization_operands(). CudnnError.
    Choice& find(LibraryRole role, const Operands& operands, const Attributes& attributes,
                 const PlanChoice& how);

private:
    /// A key of the cache; `numbers` hold all of it but the attributes.
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
