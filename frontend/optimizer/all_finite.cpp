#include "frontend/optimizer/all_finite.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "frontend/optimizer/by_device.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/op/op.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

constexpr int64_t finite_chunk = 16384;

bool is_finite(const Array& array, int64_t begin, int64_t end) {
    return visit_dtype(array.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* elements = array.elements<T>();
        bool finite = true;
        for (int64_t i = begin; i < end; ++i)
            finite &= std::abs(double(elements[i])) <= std::numeric_limits<double>::max();
        return finite;
    });
}

void run_all_finite(const KernelCall& call) {
    bool finite = true;
    for (const Array& input : call.inputs) {
        const Array array = input.as_contiguous();
        const int64_t chunks = (array.size() + finite_chunk - 1) / finite_chunk;
        std::vector<char> each(size_t(chunks), 1);
        parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                each[size_t(i)] = is_finite(array, i * finite_chunk,
                                            std::min((i + 1) * finite_chunk, array.size()));
        });
        finite &= std::ranges::all_of(each, [](char c) { return c != 0; });
    }
    *call.outputs[0].to_fill<bool>() = finite;
}

/// x - x is 0 for a finite x and NaN for all others, in whatever order it is added up.
Variables all_finite_body(std::span<const Variable> arrays, const Attributes&,
                          std::span<const Scalar>) {
    std::vector<Variable> sums;
    for (const Variable& array : arrays) {
        const Variable x = cast(array, compute_dtype(array.dtype()));
        sums.push_back(cast(sum(x - x), Dtype::float32));
    }
    return {add(sums) == 0.0};
}

Types type_of_truth(const TypeCall& call) {
    for (const Type& input : call.inputs)
        if (!is_float(input.dtype))
            fail<DtypeError>("all_finite: takes floats, not {}", name_of(input.dtype));
    return {Type{Dtype::bool_, {}}};
}

const OpDef& all_finite_op() {
    static const OpDef& op = register_op({
        .name = "all_finite",
        .input_count = -1,
        .type = type_of_truth,
        .kernel = run_all_finite,
        .body = all_finite_body,
    });
    return op;
}

}  // namespace

Variable all_finite(std::span<const Variable> arrays) {
    ReusedVector<const Variable*> all;
    for (const Variable& array : arrays) all.push_back(&array);
    Variable finite;
    for_each_device(
        std::span<const Variable* const>(all),
        [](const Variable* array) -> Device& { return array->device(); },
        [&](std::span<const Variable* const> there, Device&) {
            const Variable part = apply(all_finite_op(), there, known_location())[0];
            finite = finite.defined() ? finite && beside(part, finite.device()) : part;
        });
    return finite;
}

}  // namespace catena
