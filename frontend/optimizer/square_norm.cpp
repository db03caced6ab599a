#include "frontend/optimizer/square_norm.h"

#include <numeric>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/op.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction.h"

namespace catena {
namespace {

constexpr int64_t chunk_elements = 16384;

template <class T>
double sum_of_squares(const T* elements, int64_t count) {
    constexpr int lanes = 8;  // Independent sums hide the latency of additions.
    double sums[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int lane = 0; lane < lanes; ++lane) {
            double x = double(elements[i + lane]);
            sums[lane] += x * x;
        }
    for (; i < count; ++i) sums[0] += double(elements[i]) * double(elements[i]);
    return std::accumulate(sums, sums + lanes, 0.0);
}

double sum_of_squares(const Array& array, int64_t begin, int64_t end) {
    return visit_dtype(array.dtype(), [&](auto zero) {
        using T = decltype(zero);
        return sum_of_squares(static_cast<const T*>(array.elements()) + begin, end - begin);
    });
}

struct Chunk {
    int array;
    int64_t begin, end;
};

void run_square_norm(const KernelCall& call) {
    std::vector<Array> arrays;
    std::vector<Chunk> chunks;
    for (const Array& input : call.inputs) {
        arrays.push_back(input.as_contiguous());
        for (int64_t begin = 0; begin < input.size(); begin += chunk_elements)
            chunks.push_back({int(arrays.size()) - 1, begin, std::min(begin + chunk_elements, input.size())});
    }
    // Chunks do not depend on the thread count, nor does the order in which they are added.
    std::vector<double> sums(chunks.size());
    parallel_for(int64_t(chunks.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            sums[i] = sum_of_squares(arrays[chunks[i].array], chunks[i].begin, chunks[i].end);
    });
    double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    visit_dtype(call.outputs[0].dtype(), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_floating_point_v<T>) *call.outputs[0].to_fill<T>() = T(total);
    });
}

Types square_norm_type(const TypeCall& call) {
    Dtype dtype = call.inputs[0].dtype;
    for (const Type& input : call.inputs) dtype = promote(dtype, input.dtype);
    if (!is_float(dtype)) fail<DtypeError>("square_norm: takes floats, not {}", name_of(dtype));
    return {Type{compute_dtype(dtype), {}}};
}

Variables square_norm_body(std::span<const Variable> arrays) {
    Dtype dtype = arrays[0].dtype();
    for (const Variable& array : arrays) dtype = promote(dtype, array.dtype());
    std::vector<Variable> sums;
    for (const Variable& array : arrays) sums.push_back(sum(square(cast(array, compute_dtype(dtype)))));
    return {add(sums)};
}

const OpDef& square_norm_op() {
    static const OpDef& op = []() -> const OpDef& {
        OpDef op;
        op.name = "square_norm";
        op.input_count = -1;
        op.type = square_norm_type;
        op.kernel = run_square_norm;
        op.body = [](std::span<const Variable> arrays, const Attributes&, std::span<const Scalar>) {
            return square_norm_body(arrays);
        };
        return register_op(std::move(op));
    }();
    return op;
}

}  // namespace

Variable square_norm(std::span<const Variable> arrays) {
    std::vector<const Variable*> inputs;
    for (const Variable& array : arrays) inputs.push_back(&array);
    return std::move(apply(square_norm_op(), inputs, current_location())[0]);
}

}  // namespace catena
