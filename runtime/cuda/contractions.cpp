// Products of matrices by cuBLASLt.
#include "runtime/cuda/cublas_lt.h"
#include "runtime/cuda/library_call.h"

#ifdef CATENA_HAS_CUBLAS_LT

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "runtime/core/array/address.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/profile/profiler.h"

namespace catena::cuda {

namespace {

constexpr size_t most_workspace = 32 << 20;
constexpr uint32_t best_alignment = 256;
constexpr int64_t most_calls = 64;  ///< The most library calls for one contraction.

struct Types {
    cudaDataType_t data;
    cublasComputeType_t compute;
    cudaDataType_t scale;
};

/// Sums of halves are formed in float; float stays float unless tensor cores may round it first
/// (tf32).
std::optional<Types> types_of(Dtype dtype, bool tf32 = false) {
    switch (dtype) {
        case Dtype::float16:
            return Types{CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F};
        case Dtype::bfloat16:
            return Types{CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F};
        case Dtype::float32:
            return Types{CUDA_R_32F, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                         CUDA_R_32F};
        case Dtype::float64:
            return Types{CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F};
        default:
            return std::nullopt;
    }
}

/// A matrix as cuBLASLt sees it: its columns lie together, `step` apart.
struct Matrix {
    uint64_t rows = 0, columns = 0;
    int64_t step = 0;
    bool transposed = false;  ///< The factor wanted is its transpose.
    int64_t batch_step = 0;
    uint32_t alignment = best_alignment;

    auto fields() const { return std::tie(rows, columns, step, transposed, batch_step, alignment); }
};

/// The largest power of two that divides all addresses whose bits these are.
uint32_t alignment_of(uint64_t bits) {
    return bits == 0 ? best_alignment : uint32_t(std::min<uint64_t>(best_alignment, bits & -bits));
}

/// An array of the same sizes without gaps; its elements are not looked at.
Array without_gaps(const Array& x) {
    return x.view(x.shape(), contiguous_strides(x.shape()), x.body()->offset);
}

bool reads_by_rows(const Array& x) {
    const int last = x.rank() - 1;
    return x.strides()[last] == 1 && x.strides()[last - 1] >= x.dim(last);
}
bool reads_by_columns(const Array& x) {
    const int last = x.rank() - 1;
    return x.strides()[last - 1] == 1 && x.strides()[last] >= x.dim(last - 1);
}
/// Whether the matrices of an array can be said by steps, wherever they lie.
bool is_described_by_steps(const Array& x) {
    for (int d = 0; d + 2 < x.rank(); ++d)
        if (x.dim(d) > 1 && x.strides()[d] < 0) return false;
    return x.contiguous() || reads_by_rows(x) || reads_by_columns(x);
}

/// The last two axes of an array that is described by steps: by rows they are one matrix's
/// transpose, by columns. `swapped`: the transpose is wanted of the array.
Matrix matrix_of(const Array& x, bool swapped) {
    const int last = x.rank() - 1;
    const bool by_columns = !x.contiguous() && !reads_by_rows(x);
    Matrix m;
    m.rows = uint64_t(by_columns ? x.dim(last - 1) : x.dim(last));
    m.columns = uint64_t(by_columns ? x.dim(last) : x.dim(last - 1));
    m.step = x.contiguous() ? int64_t(m.rows) : x.strides()[by_columns ? last : last - 1];
    m.transposed = swapped != by_columns;
    return m;
}

/// Products along some axes of the result, and how far apart the factors of each and its result
/// are; 0: one for all.
struct BatchAxis {
    int64_t size, left, right, result;

    BatchAxis times(const BatchAxis& inner) const {
        return {size * inner.size, inner.left, inner.right, inner.result};
    }
    bool continues(const BatchAxis& inner) const {
        return left == inner.left * inner.size && right == inner.right * inner.size &&
               result == inner.result * inner.size;
    }
};

/// As few batch axes as say it, the longest last.
std::vector<BatchAxis> batch_axes(const Array& left, const Array& right, const Array& result) {
    auto step_of = [&](const Array& x, int from_end) {
        const int d = x.rank() - from_end;
        return d >= 0 && x.dim(d) > 1 ? x.strides()[d] : 0;
    };
    std::vector<BatchAxis> axes;
    for (int from_end = result.rank(); from_end > 2; --from_end) {
        const int64_t size = result.dim(result.rank() - from_end);
        if (size == 1) continue;
        const BatchAxis axis{size, step_of(left, from_end), step_of(right, from_end),
                             step_of(result, from_end)};
        if (!axes.empty() && axes.back().continues(axis))
            axes.back() = axes.back().times(axis);
        else
            axes.push_back(axis);
    }
    const auto longest = std::max_element(axes.begin(), axes.end(),
                                          [](auto& a, auto& b) { return a.size < b.size; });
    if (longest != axes.end()) std::rotate(longest, longest + 1, axes.end());
    return axes;
}

int64_t products_of(std::span<const BatchAxis> axes) {
    int64_t products = 1;
    for (const BatchAxis& axis : axes) products *= axis.size;
    return products;
}
/// One call takes the last axis.
int64_t calls_for(const std::vector<BatchAxis>& axes) {
    return axes.empty() ? 1 : products_of(std::span(axes).first(axes.size() - 1));
}

struct Problem {
    Dtype dtype;
    Matrix left, right, result;  ///< result = left * right, by columns.
    int64_t batch = 1;
    bool tf32 = false;
    /// The bias, of which the alignment matters, and whether there is one.
    const void* bias = nullptr;
    uint32_t bias_alignment = 0;

    bool operator<(const Problem& o) const {
        return std::tuple(dtype, left.fields(), right.fields(), result.fields(), batch, tf32,
                          bias_alignment) < std::tuple(o.dtype, o.left.fields(), o.right.fields(),
                                                       o.result.fields(), o.batch, o.tf32,
                                                       o.bias_alignment);
    }
};

struct Plan {
    bool found = false;
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
    cublasLtMatmulAlgo_t algorithm;
    size_t workspace = 0;
};

class Contractions final : public LibraryProvider {
public:
    explicit Contractions(LibraryPlace place) : place_(place) {}

    bool takes(const KernelCall& call) override;
    bool launch(const KernelCall& call) override;

private:
    void ask(cublasStatus_t status, const char* what, const Problem& problem) const;
    void set_bias(const Plan& plan, const Problem& problem) const;
    void tell(const Plan& plan, int64_t calls, bool tf32) const;
    void multiply(const Plan& plan, const Problem& problem, const void* left, const void* right,
                  void* result, void* workspace) const;
    const Plan& find(const Problem& problem);
    Plan make(const Problem& problem);
    cublasLtMatrixLayout_t layout(const Matrix& matrix, const Problem& problem);

    LibraryPlace place_;
    std::mutex mutex_;
    cublasLtHandle_t handle_ = nullptr;
    std::map<Problem, Plan> plans_;
    std::set<const Plan*> noted_;  ///< Plans without an algorithm that the user knows of.
    std::once_flag missing_;
};

bool Contractions::takes(const KernelCall& call) {
    const LibraryRole role = library_role_of(call.op);
    if (role != LibraryRole::matmul && role != LibraryRole::linear) return false;
    const Dtype dtype = call.outputs[0].dtype();
    if (!types_of(dtype) || call.outputs[0].size() == 0) return false;
    for (const Array& x : call.inputs)
        if (x.dtype() != dtype || x.size() == 0) return false;
    if (!cublas_lt().complaint.empty()) {
        std::call_once(missing_, [this] {
            note_missing(place_, "CATENA_CUBLASLT_PATH", cublas_lt_version(),
                         "products of matrices are generated kernels, which are slower");
        });
        return false;
    }
    const int64_t calls = calls_for(
        batch_axes(without_gaps(call.inputs[1]), without_gaps(call.inputs[0]), call.outputs[0]));
    if (calls <= most_calls) return true;
    note_decline(place_, call,
                 fmt::format("cuBLASLt: it would take {} calls, {} are allowed", calls, most_calls),
                 generated_kernel);
    return false;
}

bool Contractions::launch(const KernelCall& call) {
    std::lock_guard lock(mutex_);
    const bool linear = library_role_of(call.op) == LibraryRole::linear;
    const bool transa = !linear && call.attributes.flag("transa");
    const bool transb = linear || call.attributes.flag("transb");
    const Array y = call.outputs[0];
    Array a = call.inputs[0], b = call.inputs[1], bias;
    for (Array* x : {&a, &b})
        if (!is_described_by_steps(*x)) *x = x->as_contiguous();
    // By columns everything is transposed, and so the factors change places: y^T = b^T a^T.
    std::vector<BatchAxis> axes = batch_axes(b, a, y);
    if (calls_for(axes) > calls_for(batch_axes(without_gaps(b), without_gaps(a), y))) {
        for (Array* x : {&a, &b}) *x = x->as_contiguous();
        axes = batch_axes(b, a, y);
    }
    const BatchAxis batch = axes.empty() ? BatchAxis{1, 0, 0, 0} : axes.back();
    if (!axes.empty()) axes.pop_back();
    Problem problem{.dtype = y.dtype(),
                    .batch = batch.size,
                    .tf32 = config().tf32 && y.dtype() == Dtype::float32};
    if (linear) {
        bias = call.inputs[2].as_contiguous();
        problem.bias = address_of(bias);
        problem.bias_alignment = alignment_of(uint64_t(problem.bias));
    }
    auto describe = [&](const Array& x, bool swapped, int64_t BatchAxis::* step) {
        Matrix m = matrix_of(x, swapped);
        m.batch_step = batch.*step;
        uint64_t addresses = address_word(x);
        for (const BatchAxis& axis : axes) addresses |= uint64_t(axis.*step) * size_of(x.dtype());
        m.alignment = alignment_of(addresses);
        return m;
    };
    problem.left = describe(b, transb, &BatchAxis::left);
    problem.right = describe(a, transa, &BatchAxis::right);
    problem.result = describe(y, false, &BatchAxis::result);
    const Plan& plan = find(problem);
    if (!plan.found) {
        if (noted_.insert(&plan).second)
            note_decline(place_, call, "cuBLASLt: it knows no algorithm", generated_kernel);
        return false;
    }
    if (linear) set_bias(plan, problem);
    Ref<Storage> workspace;
    if (plan.workspace > 0) workspace = place_.device.allocate(plan.workspace);
    for (int64_t i = 0; i < products_of(axes); ++i) {
        BatchAxis at{0, 0, 0, 0};
        int64_t rest = i;
        for (const BatchAxis& axis : axes) {
            const int64_t k = rest % axis.size;
            rest /= axis.size;
            at = {0, at.left + k * axis.left, at.right + k * axis.right,
                  at.result + k * axis.result};
        }
        const auto bytes = int64_t(size_of(y.dtype()));
        multiply(plan, problem, address_of(b) + at.left * bytes, address_of(a) + at.right * bytes,
                 address_of(y) + at.result * bytes, workspace ? workspace->data : nullptr);
    }
    if (profile::is_on()) tell(plan, products_of(axes), problem.tf32);
    return true;
}

/// cuBLASLt's numbers of the algorithm and of its tiles (cublasLtMatmulTile_t).
void Contractions::tell(const Plan& plan, int64_t calls, bool tf32) const {
    const auto number = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
        int32_t value = 0;
        size_t written = 0;
        cublas_lt().cublasLtMatmulAlgoConfigGetAttribute(&plan.algorithm, attribute, &value,
                                                         sizeof value, &written);
        return value;
    };
    std::string method =
        fmt::format("cuBLASLt algorithm {}, tile {}", number(CUBLASLT_ALGO_CONFIG_ID),
                    number(CUBLASLT_ALGO_CONFIG_TILE_ID));
    if (const int32_t parts = number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM); parts > 1)
        method += fmt::format(", inner axis in {} parts", parts);
    if (calls > 1) method += fmt::format(", {} calls", calls);
    tell_library_method(std::move(method), plan.workspace, tf32);
}

void Contractions::multiply(const Plan& plan, const Problem& problem, const void* left,
                            const void* right, void* result, void* workspace) const {
    const float one = 1, zero = 0;
    const double wide_one = 1, wide_zero = 0;
    const bool wide = problem.dtype == Dtype::float64;
    ask(cublas_lt().cublasLtMatmul(
            handle_, plan.operation, wide ? static_cast<const void*>(&wide_one) : &one, left,
            plan.left, right, plan.right, wide ? static_cast<const void*>(&wide_zero) : &zero,
            result, plan.result, result, plan.result, &plan.algorithm, workspace, plan.workspace,
            reinterpret_cast<cudaStream_t>(stream_in(place_))),
        "cublasLtMatmul", problem);
}

void Contractions::ask(cublasStatus_t status, const char* what, const Problem& p) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    const CublasLt& c = cublas_lt();
    const uint64_t inner = p.left.transposed ? p.left.rows : p.left.columns;
    fail<DeviceError>("{}: {} ({} of {} by {}, inner {}, batch {}): {}: {}", place_.device.name(),
                      what, name_of(p.dtype), p.result.columns, p.result.rows, inner, p.batch,
                      c.cublasLtGetStatusName(status), c.cublasLtGetStatusString(status));
}

void Contractions::set_bias(const Plan& plan, const Problem& problem) const {
    ask(cublas_lt().cublasLtMatmulDescSetAttribute(
            plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &problem.bias, sizeof problem.bias),
        "cublasLtMatmulDescSetAttribute(bias)", problem);
}

const Plan& Contractions::find(const Problem& problem) {
    const auto known = plans_.find(problem);
    if (known != plans_.end()) return known->second;
    return plans_.emplace(problem, make(problem)).first->second;
}

cublasLtMatrixLayout_t Contractions::layout(const Matrix& matrix, const Problem& problem) {
    const CublasLt& c = cublas_lt();
    cublasLtMatrixLayout_t made = nullptr;
    ask(c.cublasLtMatrixLayoutCreate(&made, types_of(problem.dtype)->data, matrix.rows,
                                     matrix.columns, matrix.step),
        "cublasLtMatrixLayoutCreate", problem);
    if (problem.batch == 1) return made;
    const auto count = int32_t(problem.batch);
    ask(c.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                           sizeof count),
        "cublasLtMatrixLayoutSetAttribute(batch)", problem);
    ask(c.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                           &matrix.batch_step, sizeof matrix.batch_step),
        "cublasLtMatrixLayoutSetAttribute(batch step)", problem);
    return made;
}

Plan Contractions::make(const Problem& problem) {
    const CublasLt& c = cublas_lt();
    if (!handle_) ask(c.cublasLtCreate(&handle_), "cublasLtCreate", problem);
    const Types types = *types_of(problem.dtype, problem.tf32);
    Plan plan;
    ask(c.cublasLtMatmulDescCreate(&plan.operation, types.compute, types.scale),
        "cublasLtMatmulDescCreate", problem);
    auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
        ask(c.cublasLtMatmulDescSetAttribute(plan.operation, attribute, &value, sizeof value),
            "cublasLtMatmulDescSetAttribute", problem);
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t(problem.left.transposed ? CUBLAS_OP_T : CUBLAS_OP_N));
    set(CUBLASLT_MATMUL_DESC_TRANSB, int32_t(problem.right.transposed ? CUBLAS_OP_T : CUBLAS_OP_N));
    if (problem.bias) {
        set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
        set_bias(plan, problem);  // The heuristics look at its alignment.
    }
    plan.left = layout(problem.left, problem);
    plan.right = layout(problem.right, problem);
    plan.result = layout(problem.result, problem);

    cublasLtMatmulPreference_t preference = nullptr;
    ask(c.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate", problem);
    auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
        ask(c.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value),
            "cublasLtMatmulPreferenceSetAttribute", problem);
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
           uint64_t(std::min(most_workspace, place_.most_workspace())));
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, problem.left.alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, problem.right.alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, problem.result.alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, problem.result.alignment);
    // Sums that are split are added up in a workspace, in one order.
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    cublasLtMatmulHeuristicResult_t best{};
    int count = 0;
    const cublasStatus_t status =
        c.cublasLtMatmulAlgoGetHeuristic(handle_, plan.operation, plan.left, plan.right,
                                         plan.result, plan.result, preference, 1, &best, &count);
    c.cublasLtMatmulPreferenceDestroy(preference);
    if (status != CUBLAS_STATUS_NOT_SUPPORTED)
        ask(status, "cublasLtMatmulAlgoGetHeuristic", problem);
    plan.found =
        status == CUBLAS_STATUS_SUCCESS && count > 0 && best.state == CUBLAS_STATUS_SUCCESS;
    plan.algorithm = best.algo;
    plan.workspace = best.workspaceSize;
    return plan;
}

}  // namespace

std::unique_ptr<LibraryProvider> make_contractions(LibraryPlace place) {
    return std::make_unique<Contractions>(place);
}

std::string cublas_lt_version() {
    const CublasLt& c = cublas_lt();
    if (!c.complaint.empty()) return "no cuBLASLt: " + c.complaint;
    const size_t version = c.cublasLtGetVersion();  // 130100: 13.1
    return fmt::format("cuBLASLt {}.{}", version / 10000, version / 100 % 100);
}

}  // namespace catena::cuda

#else

namespace catena::cuda {

std::unique_ptr<LibraryProvider> make_contractions(LibraryPlace) { return nullptr; }
std::string cublas_lt_version() { return "no cuBLASLt: this plug-in was built without cublasLt.h"; }

}  // namespace catena::cuda

#endif
