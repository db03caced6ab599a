#include "frontend/optimizer/square_norm.h"

#include <algorithm>
#include <numeric>

#include "frontend/optimizer/by_device.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/parallel/share.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/op.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

constexpr int64_t norm_chunk = 16384;

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

void run_square_norm(const KernelCall& call) {
    std::vector<Array> arrays;
    std::vector<Work> work;            // In chunks.
    std::vector<int64_t> first = {0};  // By array: the number of its first chunk.
    for (const Array& input : call.inputs) {
        arrays.push_back(input.as_contiguous());
        work.push_back({.units = (input.size() + norm_chunk - 1) / norm_chunk,
                        .unit_cost = double(norm_chunk)});
        first.push_back(first.back() + work.back().units);
    }
    // Chunks do not depend on the thread count, nor does the order in which they are added.
    std::vector<double> sums(static_cast<size_t>(first.back()));
    const std::vector<ThreadWork> threads =
        share_work(work, double(norm_chunk), int(std::min<int64_t>(thread_count(), first.back())));
    parallel_for(int64_t(threads.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t)
            for (const WorkPart& part : threads[size_t(t)].parts)
                for (int64_t chunk = part.units.begin; chunk < part.units.end; ++chunk) {
                    const Array& array = arrays[size_t(part.work)];
                    const int64_t from = chunk * norm_chunk;
                    sums[size_t(first[size_t(part.work)] + chunk)] =
                        sum_of_squares(array, from, std::min(from + norm_chunk, array.size()));
                }
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
    ReusedVector<Variable> sums;
    for (const Variable& array : arrays)
        sums.push_back(sum(square(cast(array, compute_dtype(dtype)))));
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
    ReusedVector<const Variable*> all;
    for (const Variable& array : arrays) all.push_back(&array);
    Variable total;
    for_each_device(
        std::span<const Variable* const>(all),
        [](const Variable* array) -> Device& { return array->device(); },
        [&](std::span<const Variable* const> there, Device&) {
            const Variable part = apply(square_norm_op(), there, known_location())[0];
            total = total.defined() ? total + beside(part, total.device()) : part;
        });
    return total;
}

}  // namespace catena
