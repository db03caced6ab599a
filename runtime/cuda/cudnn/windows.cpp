// Convolutions, average pooling and batch normalization by cuDNN's graph interface.
#include "runtime/cuda/cudnn/fastest_plan.h"
#include "runtime/cuda/cudnn/window_plans.h"
#include "runtime/cuda/library_call.h"

#ifdef CATENA_HAS_CUDNN

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/core/array/address.h"
#include "runtime/core/array/in_order.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/config.h"
#include "runtime/profile/profiler.h"

namespace catena::cuda {

namespace {

/// Runs operations on arrays alone: nobody records or differentiates them.
template <class F>
Array computed(F&& f) {
    RecorderScope unseen(nullptr);
    const auto mode = no_backprop_mode();
    return f().array();
}

/// cuDNN has 1 / sqrt(variance + epsilon) in place of a variance. Rounded, that of a constant may
/// be less than nothing.
Array variance_of(const Array& inverse_deviation, double epsilon) {
    const Variable d(inverse_deviation, false);
    return computed([&] { return maximum(1.0 / (d * d) - epsilon, 0.0); });
}
Array inverse_deviation_of(const Array& variance, double epsilon) {
    const Variable v(variance, false);
    return computed([&] { return rsqrt(v + epsilon); });
}

/// Engines for images with channels last want the weights so, too. These are small beside the
/// images.
void set_order_of_weights(LibraryRole role, Arrays& inputs, Arrays& outputs) {
    if (!is_convolution(role)) return;
    constexpr auto last = MemoryOrder::channels_last;
    const bool gives_weights = role == LibraryRole::convolution_weights;
    Array &first = inputs[0], &second = gives_weights ? inputs[1] : outputs[0],
          &weights = gives_weights ? outputs[0] : inputs[1];
    const std::optional<Array> first_last = described_in(last, first),
                               second_last = described_in(last, second);
    if (!first_last || !second_last || !(lies_channels_last(first) || lies_channels_last(second)))
        return;
    first = *first_last;
    second = *second_last;
    if (!gives_weights)
        weights = in_order(last, weights);
    else if (const std::optional<Array> there = described_in(last, weights))
        weights = *there;
    else
        weights = empty_in(last, weights.type(), weights.device());
}

class Windows final : public LibraryProvider {
public:
    explicit Windows(LibraryPlace place) : place_(place) {}

    bool takes(const KernelCall& call) override;
    bool launch(const KernelCall& call) override;

private:
    using Choice = WindowPlans::Choice;
    // Compute the call if the choice has a plan.
    Choice& slide(const KernelCall& call);
    Choice& normalize(const KernelCall& call);
    Choice& normalize_gradient(const KernelCall& call);
    void note(const KernelCall& call, Choice& choice);
    PlanStore store() const;
    Choice& run(const KernelCall& call, const Operands& operands, void* number = nullptr);
    void prepare_handle();  ///< Makes it, and points it to the calling thread's stream.
    PlanChoice how_chosen(const KernelCall& call, const Operands& operands);
    void execute(const Plan& plan, const Operands& operands, void* number);

    LibraryPlace place_;
    std::once_flag missing_;
    std::mutex mutex_;
    cudnnHandle_t handle_ = nullptr;
    CUstream stream_ = nullptr;  ///< The handle's.
    bool is_stream_set_ = false;
    std::optional<WindowPlans> plans_;
};

bool Windows::takes(const KernelCall& call) {
    const LibraryRole role = library_role_of(call.op);
    if (!(is_window_role(role) || is_normalization_role(role)) ||
        !cudnn_type_of(call.outputs[0].dtype()))
        return false;
    int64_t smallest = INT64_MAX, largest = 0;
    for (std::span<const Array> arrays : {call.inputs, std::span<const Array>(call.outputs)})
        for (const Array& x : arrays)
            smallest = std::min(smallest, x.size()), largest = std::max(largest, x.size());
    if (smallest == 0 || (is_normalization_role(role) && !takes_normalization(call))) return false;
    if (!cudnn().complaint.empty()) {
        std::call_once(missing_, [this] {
            note_missing(place_, "CATENA_CUDNN_PATH", cudnn_version(),
                         "convolution, average pooling and batch normalization are generated "
                         "kernels, which are slower");
        });
        return false;
    }
    std::string reason;
    if (largest > INT32_MAX)
        reason =
            fmt::format("cuDNN: a tensor has {} elements, it takes {} at most", largest, INT32_MAX);
    else if (is_window_role(role) && !takes_windows(call))
        reason =
            "cuDNN: it takes no such windows, or fails at them, or operands have several dtypes";
    if (!reason.empty()) note_decline(place_, call, reason, generated_kernel);
    return reason.empty();
}

bool Windows::launch(const KernelCall& call) {
    try {
        const LibraryRole role = library_role_of(call.op);
        Choice& choice = is_window_role(role)                       ? slide(call)
                         : role == LibraryRole::batch_normalization ? normalize(call)
                                                                    : normalize_gradient(call);
        note(call, choice);
        return choice.plan.has_value();
    } catch (const CudnnError& error) {
        std::string types;
        for (const Array& x : call.inputs)
            types += (types.empty() ? "" : ", ") + to_string(x.type());
        fail<DeviceError>("{}: {} for {}({}): {}", place_.device.name(), error.call(), call.op.name,
                          types, error.words());
    }
}

/// Notes the choice in the profile at the first call that it is made for.
void Windows::note(const KernelCall& call, Choice& choice) {
    {
        std::lock_guard lock(mutex_);
        if (std::exchange(choice.noted, true)) return;
    }
    if (!choice.refusal.empty())
        note_decline(place_, call,
                     fmt::format("cuDNN: it does not execute its own plan: {}", choice.refusal),
                     generated_kernel);
    else if (choice.skipped_workspace > 0)
        note_decline(
            place_, call,
            fmt::format("cuDNN: its best engine wants a workspace of {:.1f} MiB, {} are allowed "
                        "(CATENA_CUDA_WORKSPACE_MB)",
                        double(choice.skipped_workspace) / (1 << 20), choice.most_workspace >> 20),
            choice.plan ? "another of its engines" : generated_kernel);
    else if (!choice.plan)
        note_decline(place_, call,
                     "cuDNN: none of its engines computes it as exactly as it should be",
                     generated_kernel);
}

/// Computes a call of windows on the arrays as they lie, or on copies when cuDNN does not take them
/// so; returns the plan's choice.
WindowPlans::Choice& Windows::slide(const KernelCall& call) {
    Arrays inputs, outputs(std::span<const Array>(call.outputs));
    for (const Array& x : call.inputs)
        inputs.push_back(is_described_by_steps(x) ? x : x.as_contiguous());
    set_order_of_weights(library_role_of(call.op), inputs, outputs);
    const auto attempt = [&]() -> Choice& {
        const KernelCall described{call.op, inputs, outputs, call.attributes, call.scalars};
        return run(described, window_operands(described));
    };
    Choice* choice = &attempt();
    const auto is_view = [](const Array& x) { return !x.contiguous(); };
    if (!choice->plan &&
        (std::ranges::any_of(inputs, is_view) || std::ranges::any_of(outputs, is_view))) {
        for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = call.inputs[i].as_contiguous();
        for (size_t i = 0; i < outputs.size(); ++i)
            outputs[i] = is_view(call.outputs[i])
                             ? Array::empty(call.outputs[i].type(), place_.device)
                             : call.outputs[i];
        choice = &attempt();
    }
    for (size_t i = 0; choice->plan && i < outputs.size(); ++i)
        if (address_of(outputs[i]) != address_of(call.outputs[i]))
            copy_elements(outputs[i], call.outputs[i]);
    return *choice;
}

WindowPlans::Choice& Windows::normalize(const KernelCall& call) {
    const Array inverse_deviation = Array::empty(call.outputs[2].type(), place_.device);
    auto epsilon = float(call.scalars[0]);
    Choice& choice = run(call, normalization_operands(call, inverse_deviation), &epsilon);
    if (choice.plan)
        copy_elements(variance_of(inverse_deviation, call.scalars[0]), call.outputs[2]);
    return choice;
}

WindowPlans::Choice& Windows::normalize_gradient(const KernelCall& call) {
    return run(call,
               normalization_operands(call, inverse_deviation_of(call.inputs[3], call.scalars[0])));
}

/// The store of plans, beside the compiler's own code, by key and all that a plan depends on
/// besides.
PlanStore Windows::store() const {
    const std::string about =
        fmt::format("cuDNN {} for {} with {} multiprocessors: ", cudnn().cudnnGetVersion(),
                    place_.device.architecture(), place_.device.multiprocessors());
    return {
        .find =
            [about](const std::string& key) { return kernel_provider().kept_code(about + key); },
        .keep = [about](
                    const std::string& key,
                    const std::string& text) { kernel_provider().keep_code(about + key, text); }};
}

void Windows::prepare_handle() {
    if (!handle_) {
        check_cudnn(cudnn().cudnnCreate(&handle_), "cudnnCreate");
        plans_.emplace(EngineSource{.handle = handle_}, store());
    }
    if (const CUstream stream = stream_in(place_); stream != stream_ || !is_stream_set_) {
        check_cudnn(cudnn().cudnnSetStream(handle_, reinterpret_cast<cudaStream_t>(stream)),
                    "cudnnSetStream");
        stream_ = stream;
        is_stream_set_ = true;
    }
}

/// Engines of convolutions are measured if that is wanted. What is put into a graph has run before,
/// so that its plan is known; nothing could be measured then.
PlanChoice Windows::how_chosen(const KernelCall& call, const Operands& operands) {
    PlanChoice how{.most_workspace = place_.most_workspace,
                   .tf32 = config().tf32 && operands[0].dtype() == Dtype::float32};
    if (config().autotune && is_convolution(library_role_of(call.op)))
        how.fastest_of = [this, &operands](std::span<const Plan> plans) {
            if (Capture::of(place_.device.name())) return size_t(0);
            return fastest_plan(place_.device, plans,
                                [&](const Plan& plan) { execute(plan, operands, nullptr); });
        };
    return how;
}

void Windows::execute(const Plan& plan, const Operands& operands, void* number) {
    Ref<Storage> workspace;
    if (plan.workspace() > 0) workspace = place_.device.allocate(plan.workspace());
    plan.execute(handle_, bindings_of(operands, number), workspace ? workspace->data : nullptr);
}

WindowPlans::Choice& Windows::run(const KernelCall& call, const Operands& operands, void* number) {
    std::lock_guard lock(mutex_);
    prepare_handle();
    const LibraryRole role = library_role_of(call.op);
    const PlanChoice how = how_chosen(call, operands);
    Choice& choice = plans_->find(role, operands, call.attributes, how);
    if (!choice.plan) return choice;
    try {
        execute(*choice.plan, operands, number);
        choice.has_run = true;
        if (profile::is_on())
            tell_library_method(fmt::format("cuDNN engine {}", choice.plan->engine()),
                                choice.plan->workspace(), how.tf32 && is_convolution(role));
    } catch (const CudnnError& error) {
        if (choice.has_run || !error.refused()) throw;
        choice.plan = std::nullopt;  // Another way from now on.
        choice.refusal = error.words();
    }
    return choice;
}

}  // namespace

std::unique_ptr<LibraryProvider> make_windows(LibraryPlace place) {
    return std::make_unique<Windows>(place);
}

std::string cudnn_version() {
    const Cudnn& c = cudnn();
    if (!c.complaint.empty()) return "no cuDNN: " + c.complaint;
    const size_t version = c.cudnnGetVersion();  // 91900: 9.19.0
    return fmt::format("cuDNN {}.{}", version / 10000, version / 100 % 100);
}

}  // namespace catena::cuda

#else

namespace catena::cuda {

std::unique_ptr<LibraryProvider> make_windows(LibraryPlace) { return nullptr; }
std::string cudnn_version() {
    return "no cuDNN: this plug-in was built without the headers of cuDNN 9.8 or later";
}

}  // namespace catena::cuda

#endif
