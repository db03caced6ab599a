#include "tests/cuda/recording_libraries.h"

#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace catena::testing {

namespace {

int count_of(const std::vector<std::string>& calls, const std::string& beginning) {
    int found = 0;
    for (const std::string& call : calls) found += call.starts_with(beginning);
    return found;
}
/// `made`, which lives as long as the double.
template <class Double, class T>
T* keep(Double* owner, T* made) {
    owner->descriptors.push_back(std::shared_ptr<T>(made));
    return made;
}
std::string last_of(const std::vector<std::string>& calls, const std::string& beginning) {
    for (size_t i = calls.size(); i-- > 0;)
        if (calls[i].starts_with(beginning)) return calls[i];
    return "no call of " + beginning;
}

}  // namespace

#ifdef CATENA_HAS_CUBLAS_LT

namespace {

RecordingCublasLt* blas = nullptr;

struct Layout {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t step, batch_step = 0;
    int32_t batch = 1;
};
struct Operation {
    int32_t left = CUBLAS_OP_N, right = CUBLAS_OP_N;
    uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const void* bias = nullptr;
};

template <class... Args>
cublasStatus_t note(const char* name, fmt::format_string<Args...> format, Args&&... args) {
    blas->calls.push_back(std::string(name) + " " + fmt::format(format, std::forward<Args>(args)...));
    return blas->failing == name ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

const Layout& layout_in(cublasLtMatrixLayout_t handle) { return *reinterpret_cast<const Layout*>(handle); }

std::string text_of(const Layout& l) {
    return fmt::format("{}x{} step {}", l.rows, l.columns, l.step) +
           (l.batch > 1 ? fmt::format(" {} times {} apart", l.batch, l.batch_step) : "");
}

template <class T>
void multiply(const Operation& o, const void* left, const Layout& l, const void* right, const Layout& r, void* result,
              const Layout& y) {
    const uint64_t inner = o.left == CUBLAS_OP_T ? l.rows : l.columns;
    for (int b = 0; b < y.batch; ++b)
        for (uint64_t i = 0; i < y.rows; ++i)
            for (uint64_t j = 0; j < y.columns; ++j) {
                const T* p = static_cast<const T*>(left) + b * l.batch_step;
                const T* q = static_cast<const T*>(right) + b * r.batch_step;
                T sum = o.epilogue == CUBLASLT_EPILOGUE_BIAS ? static_cast<const T*>(o.bias)[i] : T(0);
                for (uint64_t k = 0; k < inner; ++k)
                    sum += p[o.left == CUBLAS_OP_T ? k + i * uint64_t(l.step) : i + k * uint64_t(l.step)] *
                           q[o.right == CUBLAS_OP_T ? j + k * uint64_t(r.step) : k + j * uint64_t(r.step)];
                (static_cast<T*>(result) + b * y.batch_step)[i + j * uint64_t(y.step)] = sum;
            }
}

cuda::CublasLt make_blas() {
    cuda::CublasLt c;
    c.cublasLtGetVersion = [] { return size_t(130100); };
    c.cublasLtGetStatusName = [](cublasStatus_t) { return "CUBLAS_STATUS_EXECUTION_FAILED"; };
    c.cublasLtGetStatusString = [](cublasStatus_t) { return "so says the double"; };
    c.cublasLtCreate = [](cublasLtHandle_t* handle) {
        *handle = reinterpret_cast<cublasLtHandle_t>(size_t(1));
        return note("cublasLtCreate", "");
    };
    c.cublasLtMatrixLayoutCreate = [](cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows, uint64_t columns,
                                      int64_t step) {
        *made = reinterpret_cast<cublasLtMatrixLayout_t>(keep(blas, new Layout{type, rows, columns, step}));
        return note("cublasLtMatrixLayoutCreate", "{} {}x{} {}", int(type), rows, columns, step);
    };
    c.cublasLtMatrixLayoutSetAttribute = [](cublasLtMatrixLayout_t handle, cublasLtMatrixLayoutAttribute_t attribute,
                                            const void* value, size_t bytes) {
        Layout& layout = *reinterpret_cast<Layout*>(handle);
        if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) std::memcpy(&layout.batch, value, bytes);
        if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) std::memcpy(&layout.batch_step, value, bytes);
        return note("cublasLtMatrixLayoutSetAttribute", "{}", int(attribute));
    };
    c.cublasLtMatmulDescCreate = [](cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
        *made = reinterpret_cast<cublasLtMatmulDesc_t>(keep(blas, new Operation));
        return note("cublasLtMatmulDescCreate", "compute {} scale {}", int(compute), int(scale));
    };
    c.cublasLtMatmulDescSetAttribute = [](cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attribute,
                                          const void* value, size_t bytes) {
        Operation& operation = *reinterpret_cast<Operation*>(handle);
        if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) std::memcpy(&operation.left, value, bytes);
        if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) std::memcpy(&operation.right, value, bytes);
        if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE) std::memcpy(&operation.epilogue, value, bytes);
        if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER) std::memcpy(&operation.bias, value, bytes);
        return note("cublasLtMatmulDescSetAttribute", "{}", int(attribute));
    };
    c.cublasLtMatmulPreferenceCreate = [](cublasLtMatmulPreference_t* made) {
        *made = reinterpret_cast<cublasLtMatmulPreference_t>(size_t(2));
        return note("cublasLtMatmulPreferenceCreate", "");
    };
    c.cublasLtMatmulPreferenceDestroy = [](cublasLtMatmulPreference_t) { return note("cublasLtMatmulPreferenceDestroy", ""); };
    c.cublasLtMatmulPreferenceSetAttribute = [](cublasLtMatmulPreference_t,
                                                cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                                                size_t bytes) {
        uint64_t number = 0;
        std::memcpy(&number, value, bytes);
        return note("cublasLtMatmulPreferenceSetAttribute", "{} {}", int(attribute), number);
    };
    c.cublasLtMatmulAlgoGetHeuristic = [](cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                          cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                          cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t* results,
                                          int* count) {
        *count = blas->knows_a_way;
        results[0].state = CUBLAS_STATUS_SUCCESS;
        results[0].workspaceSize = blas->workspace;
        const cublasStatus_t status = note("cublasLtMatmulAlgoGetHeuristic", "");
        return blas->knows_a_way ? status : CUBLAS_STATUS_NOT_SUPPORTED;
    };
    c.cublasLtMatmul = [](cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void*, const void* left,
                          cublasLtMatrixLayout_t l, const void* right, cublasLtMatrixLayout_t r, const void*,
                          const void*, cublasLtMatrixLayout_t, void* result, cublasLtMatrixLayout_t y,
                          const cublasLtMatmulAlgo_t*, void* workspace, size_t bytes, cudaStream_t stream) {
        const auto& o = *reinterpret_cast<const Operation*>(operation);
        const Layout &ll = layout_in(l), &rl = layout_in(r), &yl = layout_in(y);
        if (yl.type == CUDA_R_32F) multiply<float>(o, left, ll, right, rl, result, yl);
        if (yl.type == CUDA_R_64F) multiply<double>(o, left, ll, right, rl, result, yl);
        return note("cublasLtMatmul", "{}{} [{}] [{}] [{}] workspace {}{}{}", o.left == CUBLAS_OP_T ? "T" : "N",
                    o.right == CUBLAS_OP_T ? "T" : "N", text_of(ll), text_of(rl), text_of(yl), bytes,
                    workspace ? "" : " of null", stream ? "" : " no stream");
    };
    return c;
}

}  // namespace

RecordingCublasLt::RecordingCublasLt() : table_(make_blas()) {
    blas = this;
    cuda::replace_cublas_lt(&table_);
}
RecordingCublasLt::~RecordingCublasLt() { cuda::replace_cublas_lt(nullptr); }
int RecordingCublasLt::count(const std::string& beginning) const { return count_of(calls, beginning); }
std::string RecordingCublasLt::last(const std::string& beginning) const { return last_of(calls, beginning); }

#endif

#ifdef CATENA_HAS_CUDNN
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

RecordingCudnn* dnn = nullptr;

/// Any descriptor of cuDNN's.
struct Descriptor {
    int type = 0, groups = 1;
    std::vector<int> sizes, steps, pad, stride, dilate;
};

template <class... Args>
cudnnStatus_t note_dnn(const char* name, fmt::format_string<Args...> format, Args&&... args) {
    dnn->calls.push_back(std::string(name) + " " + fmt::format(format, std::forward<Args>(args)...));
    return dnn->failing == name ? CUDNN_STATUS_EXECUTION_FAILED : CUDNN_STATUS_SUCCESS;
}

template <class Handle>
cudnnStatus_t create(Handle* made) {
    *made = reinterpret_cast<Handle>(keep(dnn, new Descriptor));
    return CUDNN_STATUS_SUCCESS;
}
template <class Handle>
Descriptor& in(Handle handle) {
    return *reinterpret_cast<Descriptor*>(handle);
}

/// Adds to one of x, W and y what the other two say; all float, by rows, with two axes.
void convolve(const Descriptor& xd, const float* x, const Descriptor& wd, const float* W, const Descriptor& c,
              const Descriptor& yd, const float* y, float* result, char wanted) {
    const std::vector<int>& target = wanted == 'x' ? xd.sizes : wanted == 'W' ? wd.sizes : yd.sizes;
    std::fill_n(result, target[0] * target[1] * target[2] * target[3], 0.0f);
    const int outer = wd.sizes[0] / c.groups;
    for (int n = 0; n < yd.sizes[0]; ++n)
        for (int o = 0; o < wd.sizes[0]; ++o)
            for (int i = 0; i < wd.sizes[1]; ++i)
                for (int p = 0; p < yd.sizes[2]; ++p)
                    for (int q = 0; q < yd.sizes[3]; ++q)
                        for (int r = 0; r < wd.sizes[2]; ++r)
                            for (int s = 0; s < wd.sizes[3]; ++s) {
                                const int h = p * c.stride[0] - c.pad[0] + r * c.dilate[0];
                                const int w = q * c.stride[1] - c.pad[1] + s * c.dilate[1];
                                if (h < 0 || w < 0 || h >= xd.sizes[2] || w >= xd.sizes[3]) continue;
                                const int channel = o / outer * wd.sizes[1] + i;
                                const int at_x =
                                    n * xd.steps[0] + channel * xd.steps[1] + h * xd.steps[2] + w * xd.steps[3];
                                const int at_w = ((o * wd.sizes[1] + i) * wd.sizes[2] + r) * wd.sizes[3] + s;
                                const int at_y = n * yd.steps[0] + o * yd.steps[1] + p * yd.steps[2] + q * yd.steps[3];
                                if (wanted == 'y') result[at_y] += x[at_x] * W[at_w];
                                if (wanted == 'x') result[at_x] += y[at_y] * W[at_w];
                                if (wanted == 'W') result[at_w] += x[at_x] * y[at_y];
                            }
}

template <class Result>
cudnnStatus_t suggest(const char* name, int* count, Result* results) {
    *count = 2;
    results[0] = {};
    results[0].algo = decltype(results[0].algo)(0);
    results[0].determinism = CUDNN_NON_DETERMINISTIC;
    results[1] = {};
    results[1].algo = decltype(results[1].algo)(1);
    results[1].determinism = dnn->deterministic ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC;
    results[1].memory = 1 << 16;
    return note_dnn(name, "");
}

const float* floats(const void* memory) { return static_cast<const float*>(memory); }

cuda::Cudnn make_dnn() {
    cuda::Cudnn c;
    c.cudnnGetVersion = [] { return size_t(91900); };
    c.cudnnGetErrorString = [](cudnnStatus_t) { return "so says the double"; };
    c.cudnnCreate = [](cudnnHandle_t* handle) {
        *handle = reinterpret_cast<cudnnHandle_t>(size_t(1));
        return note_dnn("cudnnCreate", "");
    };
    c.cudnnSetStream = [](cudnnHandle_t, cudaStream_t stream) {
        return note_dnn("cudnnSetStream", "{}", stream ? "given" : "null");
    };
    c.cudnnCreateTensorDescriptor = create<cudnnTensorDescriptor_t>;
    c.cudnnCreateFilterDescriptor = create<cudnnFilterDescriptor_t>;
    c.cudnnCreateConvolutionDescriptor = create<cudnnConvolutionDescriptor_t>;
    c.cudnnCreatePoolingDescriptor = create<cudnnPoolingDescriptor_t>;
    c.cudnnSetTensorNdDescriptor = [](cudnnTensorDescriptor_t t, cudnnDataType_t type, int rank, const int* sizes,
                                      const int* steps) {
        in(t).sizes.assign(sizes, sizes + rank);
        in(t).steps.assign(steps, steps + rank);
        return note_dnn("cudnnSetTensorNdDescriptor", "{} {} steps {}", int(type), in(t).sizes, in(t).steps);
    };
    c.cudnnSetFilterNdDescriptor = [](cudnnFilterDescriptor_t t, cudnnDataType_t type, cudnnTensorFormat_t, int rank,
                                      const int* sizes) {
        in(t).sizes.assign(sizes, sizes + rank);
        return note_dnn("cudnnSetFilterNdDescriptor", "{} {}", int(type), in(t).sizes);
    };
    c.cudnnSetConvolutionNdDescriptor = [](cudnnConvolutionDescriptor_t t, int axes, const int* pad, const int* stride,
                                           const int* dilate, cudnnConvolutionMode_t mode, cudnnDataType_t compute) {
        in(t).pad.assign(pad, pad + axes);
        in(t).stride.assign(stride, stride + axes);
        in(t).dilate.assign(dilate, dilate + axes);
        return note_dnn("cudnnSetConvolutionNdDescriptor", "pad {} stride {} dilate {} mode {} compute {}", in(t).pad,
                        in(t).stride, in(t).dilate, int(mode), int(compute));
    };
    c.cudnnSetConvolutionGroupCount = [](cudnnConvolutionDescriptor_t t, int groups) {
        in(t).groups = groups;
        return note_dnn("cudnnSetConvolutionGroupCount", "{}", groups);
    };
    c.cudnnSetConvolutionMathType = [](cudnnConvolutionDescriptor_t, cudnnMathType_t type) {
        return note_dnn("cudnnSetConvolutionMathType", "{}", int(type));
    };
    c.cudnnGetConvolutionForwardAlgorithm_v7 = [](cudnnHandle_t, const cudnnTensorDescriptor_t,
                                                  const cudnnFilterDescriptor_t, const cudnnConvolutionDescriptor_t,
                                                  const cudnnTensorDescriptor_t, const int, int* count,
                                                  cudnnConvolutionFwdAlgoPerf_t* results) {
        return suggest("cudnnGetConvolutionForwardAlgorithm_v7", count, results);
    };
    c.cudnnGetConvolutionBackwardDataAlgorithm_v7 =
        [](cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
           const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, const int, int* count,
           cudnnConvolutionBwdDataAlgoPerf_t* results) {
            return suggest("cudnnGetConvolutionBackwardDataAlgorithm_v7", count, results);
        };
    c.cudnnGetConvolutionBackwardFilterAlgorithm_v7 =
        [](cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
           const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t, const int, int* count,
           cudnnConvolutionBwdFilterAlgoPerf_t* results) {
            return suggest("cudnnGetConvolutionBackwardFilterAlgorithm_v7", count, results);
        };
    c.cudnnConvolutionForward = [](cudnnHandle_t, const void*, const cudnnTensorDescriptor_t xd, const void* x,
                                   const cudnnFilterDescriptor_t wd, const void* W,
                                   const cudnnConvolutionDescriptor_t cd, cudnnConvolutionFwdAlgo_t algorithm,
                                   void* room, size_t bytes, const void*, const cudnnTensorDescriptor_t yd, void* y) {
        convolve(in(xd), floats(x), in(wd), floats(W), in(cd), in(yd), nullptr, static_cast<float*>(y), 'y');
        return note_dnn("cudnnConvolutionForward", "algorithm {} workspace {}{}", int(algorithm), bytes,
                        room ? "" : " of null");
    };
    c.cudnnConvolutionBackwardData = [](cudnnHandle_t, const void*, const cudnnFilterDescriptor_t wd, const void* W,
                                        const cudnnTensorDescriptor_t yd, const void* y,
                                        const cudnnConvolutionDescriptor_t cd, cudnnConvolutionBwdDataAlgo_t algorithm,
                                        void*, size_t bytes, const void*, const cudnnTensorDescriptor_t xd, void* x) {
        convolve(in(xd), nullptr, in(wd), floats(W), in(cd), in(yd), floats(y), static_cast<float*>(x), 'x');
        return note_dnn("cudnnConvolutionBackwardData", "algorithm {} workspace {}", int(algorithm), bytes);
    };
    c.cudnnConvolutionBackwardFilter = [](cudnnHandle_t, const void*, const cudnnTensorDescriptor_t xd, const void* x,
                                          const cudnnTensorDescriptor_t yd, const void* y,
                                          const cudnnConvolutionDescriptor_t cd,
                                          cudnnConvolutionBwdFilterAlgo_t algorithm, void*, size_t bytes, const void*,
                                          const cudnnFilterDescriptor_t wd, void* W) {
        convolve(in(xd), floats(x), in(wd), nullptr, in(cd), in(yd), floats(y), static_cast<float*>(W), 'W');
        return note_dnn("cudnnConvolutionBackwardFilter", "algorithm {} workspace {}", int(algorithm), bytes);
    };
    c.cudnnSetPoolingNdDescriptor = [](cudnnPoolingDescriptor_t, const cudnnPoolingMode_t mode,
                                       const cudnnNanPropagation_t, int axes, const int* ksize, const int* pad,
                                       const int* stride) {
        return note_dnn("cudnnSetPoolingNdDescriptor", "mode {} window {} pad {} stride {}", int(mode),
                        std::vector(ksize, ksize + axes), std::vector(pad, pad + axes),
                        std::vector(stride, stride + axes));
    };
    c.cudnnPoolingForward = [](cudnnHandle_t, const cudnnPoolingDescriptor_t, const void*,
                               const cudnnTensorDescriptor_t x, const void*, const void*,
                               const cudnnTensorDescriptor_t y,
                               void*) { return note_dnn("cudnnPoolingForward", "{} to {}", in(x).sizes, in(y).sizes); };
    c.cudnnPoolingBackward = [](cudnnHandle_t, const cudnnPoolingDescriptor_t, const void*,
                                const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t gy,
                                const void*, const cudnnTensorDescriptor_t, const void*, const void*,
                                const cudnnTensorDescriptor_t gx, void*) {
        return note_dnn("cudnnPoolingBackward", "{} to {}", in(gy).sizes, in(gx).sizes);
    };
    c.cudnnSetTensor = [](cudnnHandle_t, const cudnnTensorDescriptor_t t, void*, const void* value) {
        return note_dnn("cudnnSetTensor", "{} {}", in(t).sizes, *floats(value));
    };
    c.cudnnScaleTensor = [](cudnnHandle_t, const cudnnTensorDescriptor_t t, void*, const void* value) {
        return note_dnn("cudnnScaleTensor", "{} {}", in(t).sizes, *floats(value));
    };
    c.cudnnBatchNormalizationForwardTraining =
        [](cudnnHandle_t, cudnnBatchNormMode_t mode, const void*, const void*, const cudnnTensorDescriptor_t x,
           const void*, const cudnnTensorDescriptor_t, void*, const cudnnTensorDescriptor_t keys, const void*,
           const void*, double factor, void*, void*, double epsilon, void*, void*) {
            return note_dnn("cudnnBatchNormalizationForwardTraining", "mode {} {} keys {} factor {} epsilon {}",
                            int(mode), in(x).sizes, in(keys).sizes, factor, epsilon);
        };
    c.cudnnBatchNormalizationBackward = [](cudnnHandle_t, cudnnBatchNormMode_t, const void*, const void*, const void*,
                                           const void*, const cudnnTensorDescriptor_t x, const void*,
                                           const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
                                           void*, const cudnnTensorDescriptor_t keys, const void*, void*, void*,
                                           double epsilon, const void*, const void*) {
        return note_dnn("cudnnBatchNormalizationBackward", "{} keys {} epsilon {}", in(x).sizes, in(keys).sizes,
                        epsilon);
    };
    return c;
}

}  // namespace

RecordingCudnn::RecordingCudnn() : table_(make_dnn()) {
    dnn = this;
    cuda::replace_cudnn(&table_);
}
RecordingCudnn::~RecordingCudnn() { cuda::replace_cudnn(nullptr); }
int RecordingCudnn::count(const std::string& beginning) const { return count_of(calls, beginning); }
std::string RecordingCudnn::last(const std::string& beginning) const { return last_of(calls, beginning); }

#endif

}  // namespace catena::testing
