#include "tests/cuda/recording_cublas_lt.h"

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
    blas->calls.push_back(std::string(name) + " " +
                          fmt::format(format, std::forward<Args>(args)...));
    return blas->failing == name ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

const Layout& layout_in(cublasLtMatrixLayout_t handle) {
    return *reinterpret_cast<const Layout*>(handle);
}

std::string text_of(const Layout& l) {
    return fmt::format("{}x{} step {}", l.rows, l.columns, l.step) +
           (l.batch > 1 ? fmt::format(" {} times {} apart", l.batch, l.batch_step) : "");
}

template <class T>
void multiply(const Operation& o, const void* left, const Layout& l, const void* right,
              const Layout& r, void* result, const Layout& y) {
    const uint64_t inner = o.left == CUBLAS_OP_T ? l.rows : l.columns;
    for (int b = 0; b < y.batch; ++b)
        for (uint64_t i = 0; i < y.rows; ++i)
            for (uint64_t j = 0; j < y.columns; ++j) {
                const T* p = static_cast<const T*>(left) + b * l.batch_step;
                const T* q = static_cast<const T*>(right) + b * r.batch_step;
                T sum =
                    o.epilogue == CUBLASLT_EPILOGUE_BIAS ? static_cast<const T*>(o.bias)[i] : T(0);
                for (uint64_t k = 0; k < inner; ++k)
                    sum += p[o.left == CUBLAS_OP_T ? k + i * uint64_t(l.step)
                                                   : i + k * uint64_t(l.step)] *
                           q[o.right == CUBLAS_OP_T ? j + k * uint64_t(r.step)
                                                    : k + j * uint64_t(r.step)];
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
    c.cublasLtMatrixLayoutCreate = [](cublasLtMatrixLayout_t* made, cudaDataType type,
                                      uint64_t rows, uint64_t columns, int64_t step) {
        *made = reinterpret_cast<cublasLtMatrixLayout_t>(
            keep(blas, new Layout{type, rows, columns, step}));
        return note("cublasLtMatrixLayoutCreate", "{} {}x{} {}", int(type), rows, columns, step);
    };
    c.cublasLtMatrixLayoutSetAttribute = [](cublasLtMatrixLayout_t handle,
                                            cublasLtMatrixLayoutAttribute_t attribute,
                                            const void* value, size_t bytes) {
        Layout& layout = *reinterpret_cast<Layout*>(handle);
        if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
            std::memcpy(&layout.batch, value, bytes);
        if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
            std::memcpy(&layout.batch_step, value, bytes);
        return note("cublasLtMatrixLayoutSetAttribute", "{}", int(attribute));
    };
    c.cublasLtMatmulDescCreate = [](cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                    cudaDataType_t scale) {
        *made = reinterpret_cast<cublasLtMatmulDesc_t>(keep(blas, new Operation));
        return note("cublasLtMatmulDescCreate", "compute {} scale {}", int(compute), int(scale));
    };
    c.cublasLtMatmulDescSetAttribute = [](cublasLtMatmulDesc_t handle,
                                          cublasLtMatmulDescAttributes_t attribute,
                                          const void* value, size_t bytes) {
        Operation& operation = *reinterpret_cast<Operation*>(handle);
        if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) std::memcpy(&operation.left, value, bytes);
        if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) std::memcpy(&operation.right, value, bytes);
        if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE)
            std::memcpy(&operation.epilogue, value, bytes);
        if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER)
            std::memcpy(&operation.bias, value, bytes);
        return note("cublasLtMatmulDescSetAttribute", "{}", int(attribute));
    };
    c.cublasLtMatmulPreferenceCreate = [](cublasLtMatmulPreference_t* made) {
        *made = reinterpret_cast<cublasLtMatmulPreference_t>(size_t(2));
        return note("cublasLtMatmulPreferenceCreate", "");
    };
    c.cublasLtMatmulPreferenceDestroy = [](cublasLtMatmulPreference_t) {
        return note("cublasLtMatmulPreferenceDestroy", "");
    };
    c.cublasLtMatmulPreferenceSetAttribute = [](cublasLtMatmulPreference_t,
                                                cublasLtMatmulPreferenceAttributes_t attribute,
                                                const void* value, size_t bytes) {
        uint64_t number = 0;
        std::memcpy(&number, value, bytes);
        return note("cublasLtMatmulPreferenceSetAttribute", "{} {}", int(attribute), number);
    };
    c.cublasLtMatmulAlgoGetHeuristic =
        [](cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
           cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int,
           cublasLtMatmulHeuristicResult_t* results, int* count) {
            *count = blas->knows_a_way;
            results[0].state = CUBLAS_STATUS_SUCCESS;
            results[0].workspaceSize = blas->workspace;
            const cublasStatus_t status = note("cublasLtMatmulAlgoGetHeuristic", "");
            return blas->knows_a_way ? status : CUBLAS_STATUS_NOT_SUPPORTED;
        };
    c.cublasLtMatmul =
        [](cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void*, const void* left,
           cublasLtMatrixLayout_t l, const void* right, cublasLtMatrixLayout_t r, const void*,
           const void*, cublasLtMatrixLayout_t, void* result, cublasLtMatrixLayout_t y,
           const cublasLtMatmulAlgo_t*, void* workspace, size_t bytes, cudaStream_t stream) {
            const auto& o = *reinterpret_cast<const Operation*>(operation);
            blas->stream = stream;
            const Layout &ll = layout_in(l), &rl = layout_in(r), &yl = layout_in(y);
            if (yl.type == CUDA_R_32F) multiply<float>(o, left, ll, right, rl, result, yl);
            if (yl.type == CUDA_R_64F) multiply<double>(o, left, ll, right, rl, result, yl);
            return note("cublasLtMatmul", "{}{} [{}] [{}] [{}] workspace {}{}{}",
                        o.left == CUBLAS_OP_T ? "T" : "N", o.right == CUBLAS_OP_T ? "T" : "N",
                        text_of(ll), text_of(rl), text_of(yl), bytes, workspace ? "" : " of null",
                        stream ? "" : " no stream");
        };
    c.cublasLtMatmulAlgoConfigGetAttribute = [](const cublasLtMatmulAlgo_t*,
                                                cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                void* value, size_t bytes, size_t* written) {
        const int32_t number = attribute == CUBLASLT_ALGO_CONFIG_ID        ? 66
                               : attribute == CUBLASLT_ALGO_CONFIG_TILE_ID ? 20
                                                                           : 1;
        std::memcpy(value, &number, std::min(bytes, sizeof number));
        *written = sizeof number;
        return CUBLAS_STATUS_SUCCESS;
    };
    return c;
}

}  // namespace

RecordingCublasLt::RecordingCublasLt() : table_(make_blas()) {
    blas = this;
    cuda::replace_cublas_lt(&table_);
}
RecordingCublasLt::~RecordingCublasLt() { cuda::replace_cublas_lt(nullptr); }
int RecordingCublasLt::count(const std::string& beginning) const {
    return count_of(calls, beginning);
}
std::string RecordingCublasLt::last(const std::string& beginning) const {
    return last_of(calls, beginning);
}

#endif

}  // namespace catena::testing
