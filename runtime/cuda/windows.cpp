// Convolutions, average pooling and batch normalization by cuDNN.
#include "runtime/cuda/cudnn.h"
#include "runtime/cuda/library_call.h"

#ifdef CATENA_HAS_CUDNN

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "runtime/ops/element_text.h"

namespace catena::cuda {

namespace {

constexpr size_t most_workspace = 256 << 20;
constexpr int algorithms_asked = 8;

std::optional<cudnnDataType_t> type_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
            return CUDNN_DATA_HALF;
        case Dtype::bfloat16:
            return CUDNN_DATA_BFLOAT16;
        case Dtype::float32:
            return CUDNN_DATA_FLOAT;
        case Dtype::float64:
            return CUDNN_DATA_DOUBLE;
        default:
            return std::nullopt;
    }
}

/// Factors before results and before what was there: float, or double for double.
struct Factor {
    float narrow;
    double wide;
    explicit Factor(double value) : narrow(float(value)), wide(value) {}
    const void* of(Dtype dtype) const { return dtype == Dtype::float64 ? static_cast<const void*>(&wide) : &narrow; }
};

bool is_convolution(LibraryRole role) {
    return role == LibraryRole::convolution || role == LibraryRole::convolution_data ||
           role == LibraryRole::convolution_weights;
}
bool is_pooling(LibraryRole role) {
    return role == LibraryRole::average_pooling || role == LibraryRole::average_pooling_gradient;
}

/// Images, filters and results of a convolution, whichever of them the call computes.
struct Operands {
    const Array *x, *W, *y;
};
Operands operands_of(const KernelCall& call) {
    switch (library_role_of(call.op)) {
        case LibraryRole::convolution:
            return {&call.inputs[0], &call.inputs[1], &call.outputs[0]};
        case LibraryRole::convolution_data:
            return {&call.outputs[0], &call.inputs[1], &call.inputs[0]};
        default:
            return {&call.inputs[0], &call.outputs[0], &call.inputs[1]};
    }
}

/// cuDNN knows no windows that reach over the border by more than the padding.
bool sizes_fit(const Operands& o, const Attributes& a) {
    for (int d = 2; d < o.x->rank(); ++d) {
        const int64_t room = o.x->dim(d) + 2 * a.dims("pad")[d - 2] - (o.W->dim(d) - 1) * a.dims("dilate")[d - 2] - 1;
        if (room < 0 || room / a.dims("stride")[d - 2] + 1 != o.y->dim(d)) return false;
    }
    return true;
}

bool pooling_fits(const Shape& x, const Shape& y, const Attributes& a) {
    for (int d = 2; d < 4; ++d) {
        const int64_t room = x[d] + 2 * a.dims("pad")[d - 2] - a.dims("ksize")[d - 2];
        if (room < 0 || room / a.dims("stride")[d - 2] + 1 != y[d] || a.dims("pad")[d - 2] >= a.dims("ksize")[d - 2])
            return false;
    }
    return true;
}

/// x as [outer, keys, inner] around the axes that are kept; nothing when these are not neighbours.
std::optional<Shape> normalized_shape(const Shape& x, const Axes& axes) {
    Shape shape{1, 1, 1, 1};
    int d = 0;
    for (int part = 0; part < 3; ++part)
        for (; d < x.rank() && axes.contains(d) == (part != 1); ++d) shape[part] *= x[d];
    return d == x.rank() ? std::optional(shape) : std::nullopt;
}

struct Plan {
    bool found = true;
    cudnnTensorDescriptor_t x = nullptr, y = nullptr, keys = nullptr;
    cudnnFilterDescriptor_t W = nullptr;
    cudnnConvolutionDescriptor_t convolution = nullptr;
    cudnnPoolingDescriptor_t pooling = nullptr;
    int algorithm = 0;
    size_t workspace = 0;
};

class Windows final : public LibraryProvider {
public:
    explicit Windows(LibraryPlace place) : place_(place) {}

    bool takes(const KernelCall& call) override;
    bool launch(const KernelCall& call) override;

private:
    void ask(cudnnStatus_t status, const char* what) const;
    const Plan& find(const KernelCall& call);
    Plan make(const KernelCall& call);
    void plan_convolution(const KernelCall& call, Plan& plan);
    void plan_pooling(const KernelCall& call, Plan& plan);
    cudnnTensorDescriptor_t tensor(Dtype dtype, const Shape& shape);

    void convolve(const KernelCall& call, const Plan& plan);
    void pool(const KernelCall& call, const Plan& plan);
    void normalize(const KernelCall& call, const Plan& plan);
    void normalize_gradient(const KernelCall& call, const Plan& plan);

    LibraryPlace place_;
    std::mutex mutex_;
    cudnnHandle_t handle_ = nullptr;
    std::map<std::string, Plan> plans_;
    const KernelCall* call_ = nullptr;  ///< Being worked on, for errors.
};

bool Windows::takes(const KernelCall& call) {
    const LibraryRole role = library_role_of(call.op);
    const bool normalizes =
        role == LibraryRole::batch_normalization || role == LibraryRole::batch_normalization_gradient;
    if (!(is_convolution(role) || is_pooling(role) || normalizes) || !cudnn().complaint.empty()) return false;
    const Dtype dtype = call.outputs[0].dtype();
    if (!type_of(dtype)) return false;
    for (std::span<const Array> arrays : {call.inputs, std::span<const Array>(call.outputs)})
        for (const Array& x : arrays)
            if (x.size() == 0 || x.size() > INT32_MAX) return false;
    if (normalizes) {
        // Statistics and factors are of one type, float for halves; cuDNN's variance divides by n - 1.
        const Dtype statistic = compute_dtype(dtype);
        const std::optional<Shape> shape = normalized_shape(call.inputs[0].shape(), call.attributes.dims("axis"));
        bool fits = shape && (*shape)[0] * (*shape)[2] > 1 && call.inputs[0].dtype() == dtype;
        for (size_t i = 1; i < call.inputs.size(); ++i)
            fits = fits && call.inputs[i].dtype() == (i == 4 ? dtype : statistic);
        for (const Array& y : std::span(call.outputs).subspan(1)) fits = fits && y.dtype() == statistic;
        return fits;
    }
    for (const Array& x : call.inputs)
        if (x.dtype() != dtype) return false;
    if (is_convolution(role)) return sizes_fit(operands_of(call), call.attributes);
    const bool forward = role == LibraryRole::average_pooling;
    const Shape &x = call.inputs[0].shape(), &y = call.outputs[0].shape();
    return forward ? pooling_fits(x, y, call.attributes) : pooling_fits(y, x, call.attributes);
}

bool Windows::launch(const KernelCall& given) {
    std::lock_guard lock(mutex_);
    Arrays inputs;
    for (const Array& x : given.inputs) inputs.push_back(x.as_contiguous());
    const KernelCall call{given.op, inputs, given.outputs, given.attributes, given.scalars};
    call_ = &call;
    const Plan& plan = find(call);
    if (!plan.found) return false;
    const LibraryRole role = library_role_of(call.op);
    if (is_convolution(role))
        convolve(call, plan);
    else if (is_pooling(role))
        pool(call, plan);
    else if (role == LibraryRole::batch_normalization)
        normalize(call, plan);
    else
        normalize_gradient(call, plan);
    return true;
}

void Windows::ask(cudnnStatus_t status, const char* what) const {
    if (status == CUDNN_STATUS_SUCCESS) return;
    std::string types;
    for (const Array& x : call_->inputs) types += (types.empty() ? "" : ", ") + to_string(x.type());
    fail<DeviceError>("{}: {} for {}({}): {}", place_.device.name(), what, call_->op.name, types,
                      cudnn().cudnnGetErrorString(status));
}

const Plan& Windows::find(const KernelCall& call) {
    std::string key = fmt::format("{}", int(library_role_of(call.op)));
    for (const Array& x : call.inputs) key += " " + to_string(x.type());
    for (const Array& y : call.outputs) key += " " + to_string(y.type());
    for (const Attributes::Entry& entry : call.attributes.entries())
        key += fmt::format(" {}={}", entry.name, to_string(entry.value));
    const auto known = plans_.find(key);
    return known != plans_.end() ? known->second : plans_.emplace(key, make(call)).first->second;
}

Plan Windows::make(const KernelCall& call) {
    const Cudnn& c = cudnn();
    if (!handle_) {
        ask(c.cudnnCreate(&handle_), "cudnnCreate");
        ask(c.cudnnSetStream(handle_, reinterpret_cast<cudaStream_t>(place_.stream)), "cudnnSetStream");
    }
    Plan plan;
    const LibraryRole role = library_role_of(call.op);
    if (is_convolution(role)) {
        plan_convolution(call, plan);
    } else if (is_pooling(role)) {
        plan_pooling(call, plan);
    } else {
        const Dtype dtype = call.inputs[0].dtype();
        const Shape shape = *normalized_shape(call.inputs[0].shape(), call.attributes.dims("axis"));
        plan.x = tensor(dtype, shape);
        plan.keys = tensor(compute_dtype(dtype), {1, shape[1], 1, 1});
    }
    return plan;
}

/// Images of one axis get a second of size 1: cuDNN begins at two.
std::vector<int> widened(std::span<const int64_t> sizes, int axes, int filling) {
    std::vector<int> result(sizes.begin(), sizes.end());
    if (axes == 1) result.insert(result.end() - 1, filling);
    return result;
}

cudnnTensorDescriptor_t Windows::tensor(Dtype dtype, const Shape& shape) {
    const Cudnn& c = cudnn();
    const std::vector<int> sizes = widened(shape, shape.rank() - 2, 1);
    std::vector<int> steps(sizes.size(), 1);
    for (size_t d = sizes.size() - 1; d-- > 0;) steps[d] = steps[d + 1] * sizes[d + 1];
    cudnnTensorDescriptor_t made = nullptr;
    ask(c.cudnnCreateTensorDescriptor(&made), "cudnnCreateTensorDescriptor");
    ask(c.cudnnSetTensorNdDescriptor(made, *type_of(dtype), int(sizes.size()), sizes.data(), steps.data()),
        "cudnnSetTensorNdDescriptor");
    return made;
}

/// The fastest way that always gives the same result and fits into the workspace.
template <class Result>
bool choose(const std::vector<Result>& results, Plan& plan) {
    for (const Result& result : results) {
        if (result.status != CUDNN_STATUS_SUCCESS || result.determinism != CUDNN_DETERMINISTIC ||
            result.memory > most_workspace)
            continue;
        plan.algorithm = int(result.algo);
        plan.workspace = result.memory;
        return true;
    }
    return false;
}

void Windows::plan_convolution(const KernelCall& call, Plan& plan) {
    const Cudnn& c = cudnn();
    const Attributes& a = call.attributes;
    const Operands o = operands_of(call);
    const Dtype dtype = o.x->dtype();
    const int axes = o.x->rank() - 2;
    plan.x = tensor(dtype, o.x->shape());
    plan.y = tensor(dtype, o.y->shape());
    const std::vector<int> filter = widened(o.W->shape(), axes, 1), pad = widened(a.dims("pad"), axes, 0),
                           stride = widened(a.dims("stride"), axes, 1), dilate = widened(a.dims("dilate"), axes, 1);
    ask(c.cudnnCreateFilterDescriptor(&plan.W), "cudnnCreateFilterDescriptor");
    ask(c.cudnnSetFilterNdDescriptor(plan.W, *type_of(dtype), CUDNN_TENSOR_NCHW, int(filter.size()), filter.data()),
        "cudnnSetFilterNdDescriptor");
    ask(c.cudnnCreateConvolutionDescriptor(&plan.convolution), "cudnnCreateConvolutionDescriptor");
    ask(c.cudnnSetConvolutionNdDescriptor(plan.convolution, int(pad.size()), pad.data(), stride.data(), dilate.data(),
                                          CUDNN_CROSS_CORRELATION, *type_of(compute_dtype(dtype))),
        "cudnnSetConvolutionNdDescriptor");
    ask(c.cudnnSetConvolutionGroupCount(plan.convolution, int(a.integer("groups"))), "cudnnSetConvolutionGroupCount");
    // Float stays float: tensor cores would round it first.
    const bool half = dtype == Dtype::float16 || dtype == Dtype::bfloat16;
    ask(c.cudnnSetConvolutionMathType(plan.convolution, half ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH),
        "cudnnSetConvolutionMathType");
    auto search = [&](auto zero, const char* name, auto&& query) {
        std::vector<decltype(zero)> results(algorithms_asked);
        int count = 0;
        const cudnnStatus_t status = query(results.data(), &count);
        if (status == CUDNN_STATUS_NOT_SUPPORTED) return false;
        ask(status, name);
        results.resize(size_t(count));
        return choose(results, plan);
    };
    switch (library_role_of(call.op)) {
        case LibraryRole::convolution:
            plan.found =
                search(cudnnConvolutionFwdAlgoPerf_t{}, "cudnnGetConvolutionForwardAlgorithm_v7",
                       [&](auto* results, int* count) {
                           return c.cudnnGetConvolutionForwardAlgorithm_v7(handle_, plan.x, plan.W, plan.convolution,
                                                                           plan.y, algorithms_asked, count, results);
                       });
            break;
        case LibraryRole::convolution_data:
            plan.found =
                search(cudnnConvolutionBwdDataAlgoPerf_t{}, "cudnnGetConvolutionBackwardDataAlgorithm_v7",
                       [&](auto* results, int* count) {
                           return c.cudnnGetConvolutionBackwardDataAlgorithm_v7(
                               handle_, plan.W, plan.y, plan.convolution, plan.x, algorithms_asked, count, results);
                       });
            break;
        default:
            plan.found =
                search(cudnnConvolutionBwdFilterAlgoPerf_t{}, "cudnnGetConvolutionBackwardFilterAlgorithm_v7",
                       [&](auto* results, int* count) {
                           return c.cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                               handle_, plan.x, plan.y, plan.convolution, plan.W, algorithms_asked, count, results);
                       });
    }
}

void Windows::convolve(const KernelCall& call, const Plan& plan) {
    const Cudnn& c = cudnn();
    const Operands o = operands_of(call);
    const Factor one(1), zero(0);
    const void *alpha = one.of(o.x->dtype()), *beta = zero.of(o.x->dtype());
    Ref<Storage> workspace;
    if (plan.workspace > 0) workspace = place_.device.allocate(plan.workspace);
    void* room = workspace ? workspace->data : nullptr;
    char *x = address_in(*o.x), *W = address_in(*o.W), *y = address_in(*o.y);
    switch (library_role_of(call.op)) {
        case LibraryRole::convolution:
            return ask(c.cudnnConvolutionForward(handle_, alpha, plan.x, x, plan.W, W, plan.convolution,
                                                 cudnnConvolutionFwdAlgo_t(plan.algorithm), room, plan.workspace, beta,
                                                 plan.y, y),
                       "cudnnConvolutionForward");
        case LibraryRole::convolution_data:
            return ask(c.cudnnConvolutionBackwardData(handle_, alpha, plan.W, W, plan.y, y, plan.convolution,
                                                      cudnnConvolutionBwdDataAlgo_t(plan.algorithm), room,
                                                      plan.workspace, beta, plan.x, x),
                       "cudnnConvolutionBackwardData");
        default:
            return ask(c.cudnnConvolutionBackwardFilter(handle_, alpha, plan.x, x, plan.y, y, plan.convolution,
                                                        cudnnConvolutionBwdFilterAlgo_t(plan.algorithm), room,
                                                        plan.workspace, beta, plan.W, W),
                       "cudnnConvolutionBackwardFilter");
    }
}

void Windows::plan_pooling(const KernelCall& call, Plan& plan) {
    const Cudnn& c = cudnn();
    const Attributes& a = call.attributes;
    const bool forward = library_role_of(call.op) == LibraryRole::average_pooling;
    const Array &x = forward ? call.inputs[0] : call.outputs[0], &y = forward ? call.outputs[0] : call.inputs[0];
    plan.x = tensor(x.dtype(), x.shape());
    plan.y = tensor(y.dtype(), y.shape());
    const std::vector<int> ksize = widened(a.dims("ksize"), 2, 1), pad = widened(a.dims("pad"), 2, 0),
                           stride = widened(a.dims("stride"), 2, 1);
    ask(c.cudnnCreatePoolingDescriptor(&plan.pooling), "cudnnCreatePoolingDescriptor");
    ask(c.cudnnSetPoolingNdDescriptor(plan.pooling, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING, CUDNN_PROPAGATE_NAN, 2,
                                      ksize.data(), pad.data(), stride.data()),
        "cudnnSetPoolingNdDescriptor");
}

void Windows::pool(const KernelCall& call, const Plan& plan) {
    const Cudnn& c = cudnn();
    const Dtype dtype = call.inputs[0].dtype();
    const Factor one(1), zero(0);
    char *from = address_in(call.inputs[0]), *to = address_in(call.outputs[0]);
    if (library_role_of(call.op) == LibraryRole::average_pooling)
        return ask(
            c.cudnnPoolingForward(handle_, plan.pooling, one.of(dtype), plan.x, from, zero.of(dtype), plan.y, to),
            "cudnnPoolingForward");
    // The gradient of a mean does not read x and y: any memory of their sizes will do.
    ask(c.cudnnPoolingBackward(handle_, plan.pooling, one.of(dtype), plan.y, from, plan.y, from, plan.x, to,
                               zero.of(dtype), plan.x, to),
        "cudnnPoolingBackward");
}

/// The moving averages with a factor of 1 are this batch's, but for n / (n - 1) in the variance.
void Windows::normalize(const KernelCall& call, const Plan& plan) {
    const Cudnn& c = cudnn();
    const Dtype dtype = call.inputs[0].dtype(), statistic = compute_dtype(dtype);
    const Shape shape = *normalized_shape(call.inputs[0].shape(), call.attributes.dims("axis"));
    const double n = double(shape[0] * shape[2]);
    const Factor one(1), zero(0), biased((n - 1) / n);
    void *mean = address_in(call.outputs[1]), *variance = address_in(call.outputs[2]);
    // 0 times what lies there is not 0 when that is no number.
    ask(c.cudnnSetTensor(handle_, plan.keys, mean, zero.of(statistic)), "cudnnSetTensor");
    ask(c.cudnnSetTensor(handle_, plan.keys, variance, zero.of(statistic)), "cudnnSetTensor");
    ask(c.cudnnBatchNormalizationForwardTraining(
            handle_, CUDNN_BATCHNORM_SPATIAL, one.of(dtype), zero.of(dtype), plan.x, address_in(call.inputs[0]), plan.x,
            address_in(call.outputs[0]), plan.keys, address_in(call.inputs[1]), address_in(call.inputs[2]), 1.0, mean,
            variance, call.scalars[0], nullptr, nullptr),
        "cudnnBatchNormalizationForwardTraining");
    ask(c.cudnnScaleTensor(handle_, plan.keys, variance, biased.of(statistic)), "cudnnScaleTensor");
}

void Windows::normalize_gradient(const KernelCall& call, const Plan& plan) {
    const Dtype dtype = call.inputs[0].dtype();
    const Factor one(1), zero(0);
    ask(cudnn().cudnnBatchNormalizationBackward(handle_, CUDNN_BATCHNORM_SPATIAL, one.of(dtype), zero.of(dtype),
                                                one.of(dtype), zero.of(dtype), plan.x, address_in(call.inputs[0]),
                                                plan.x, address_in(call.inputs[4]), plan.x, address_in(call.outputs[0]),
                                                plan.keys, address_in(call.inputs[1]), address_in(call.outputs[1]),
                                                address_in(call.outputs[2]), call.scalars[0], nullptr, nullptr),
        "cudnnBatchNormalizationBackward");
}

}  // namespace

std::unique_ptr<LibraryProvider> make_windows(LibraryPlace place) { return std::make_unique<Windows>(place); }

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
std::string cudnn_version() { return "no cuDNN: this plug-in was built without cudnn.h"; }

}  // namespace catena::cuda

#endif
