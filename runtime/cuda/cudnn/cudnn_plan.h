#pragma once

#include "runtime/cuda/cudnn/cudnn_descriptor.h"

#ifdef CATENA_HAS_CUDNN

#include <memory>
#include <optional>

#include "runtime/core/dtype/dtype.h"

namespace catena::cuda {

/// The device whose engines are searched: an existing one, or one that is known by its properties
/// alone, for which plans are made as usual but cannot be executed.
struct EngineSource {
    cudnnHandle_t handle = nullptr;
    const Descriptor* properties = nullptr;
};

/// A cuDNN operation: the descriptors that it is made of, and last the operation itself.
using Operation = std::vector<Descriptor>;

/// The rules that engines must obey for results of a dtype: the same result every time, rounded as
/// the dtype says; with `tf32` tensor cores may round factors of float32 first.
struct EngineRules {
    bool tensor_cores = true;
    size_t most_workspace = 256 << 20;
    static EngineRules of(Dtype dtype, size_t most_workspace = 256 << 20, bool tf32 = false) {
        return {.tensor_cores = tf32 || dtype != Dtype::float32, .most_workspace = most_workspace};
    }
    bool allow(cudnnBackendNumericalNote_t note) const;
};

/// The address of a tensor of an operation: on the device, or on the host for one that is given by
/// value.
struct Binding {
    int64_t id;
    void* memory;
};

/// A way in which cuDNN computes one operation.
class Plan {
public:
    /// A plan from the text() of another process; nothing when it is damaged or for another device
    /// or cuDNN.
    static std::optional<Plan> from_text(const std::string& text, const EngineSource& source);
    /// The first `most` working plans among those that cuDNN's heuristics propose for the operation
    /// and the rules allow, in the order of the heuristics, which put the presumably fastest first.
    /// CudnnError when cuDNN fails. `skipped` becomes the workspace of the first plan that was
    /// rejected only because it needs too much.
    static std::vector<Plan> find(Operation operation, const EngineSource& source,
                                  const EngineRules& rules, size_t most = 1,
                                  size_t* skipped = nullptr);

    size_t workspace() const { return workspace_; }
    /// Whether its engine was compiled for it, which takes time.
    bool is_compiled() const { return compiled_; }
    bool is_kept() const { return kept_; }  ///< Whether it was made from a text.
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
