#pragma once

#include "runtime/cuda/cudnn_descriptor.h"

#ifdef CATENA_HAS_CUDNN

#include <memory>
#include <optional>

#include "runtime/core/dtype/dtype.h"

namespace catena::cuda {

/// Whose engines are looked for: those of a device that is there, or those of one that is known by
/// its properties alone, for which plans are made as for any other but cannot be executed.
struct EngineSource {
    cudnnHandle_t handle = nullptr;
    const Descriptor* properties = nullptr;
};

/// One operation, the last, after what it is made of.
using Operation = std::vector<Descriptor>;

/// What engines may do for results of a dtype: the same result every time, rounded as the dtype
/// says; with `tf32` tensor cores may round factors of float32 first.
struct EngineRules {
    bool tensor_cores = true;
    size_t most_workspace = 256 << 20;
    static EngineRules of(Dtype dtype, size_t most_workspace = 256 << 20, bool tf32 = false) {
        return {.tensor_cores = tf32 || dtype != Dtype::float32, .most_workspace = most_workspace};
    }
    bool allow(cudnnBackendNumericalNote_t note) const;
};

/// Where a tensor of an operation lies: on the device, or on the host for one that is given by
/// value.
struct Binding {
    int64_t id;
    void* memory;
};

/// How cuDNN computes one operation.
class Plan {
public:
    /// A plan that text() of another process gave; nothing when it is damaged or for another device
    /// or cuDNN.
    static std::optional<Plan> from_text(const std::string& text, const EngineSource& source);
    /// The first `most` that work of those that cuDNN's heuristics name for the operation and the
    /// rules allow, in the order of the heuristics, which begin with what they hold for the
    /// fastest. CudnnError when cuDNN fails. `skipped` becomes the workspace of the first that
    /// would have been taken if it wanted less.
    static std::vector<Plan> find(Operation operation, const EngineSource& source,
                                  const EngineRules& rules, size_t most = 1,
                                  size_t* skipped = nullptr);

    size_t workspace() const { return workspace_; }
    bool is_compiled() const {
        return compiled_;
    }  ///< Its engine was compiled for it: that takes its time.
    bool is_kept() const { return kept_; }  ///< It was made from a text.
    std::string text() const;
    void execute(cudnnHandle_t handle, std::span<const Binding> bindings, void* workspace) const;

private:
    using Parts = std::shared_ptr<const std::vector<Descriptor>>;
    Plan(Parts parts, std::optional<Descriptor> configuration, Descriptor plan);

    // What the plan was made from; the parts are those of all plans for the operation.
    Parts parts_;
    std::optional<Descriptor> configuration_;
    Descriptor plan_;
    size_t workspace_;
    bool compiled_ = false, kept_ = false;
};

}  // namespace catena::cuda

#endif
