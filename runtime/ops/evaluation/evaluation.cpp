#include "runtime/ops/evaluation/evaluation.h"

#include "runtime/core/error.h"
#include "runtime/cpu/softmax_kernel.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/config.h"
#include "runtime/ops/array/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/reduction.h"

namespace catena {
namespace {

/// The share of true elements of `right` among those of `counted`, 0 of none.
Variable share(const Variable& right, const Variable& counted, Dtype dtype) {
    const Dtype wide = working_dtype(dtype);  // A 16-bit float cannot count far.
    const Variable hits = sum(cast(right && counted, wide));
    return cast(hits / maximum(sum(cast(counted, wide)), Scalar(1)), dtype);
}

const FunctionDef& f_accuracy =
    function("accuracy(y, t, ignore_label=None)", {"y", "t"}, [](const FunctionArguments& a) {
        std::optional<int64_t> ignore_label;
        if (!a.is_none("ignore_label")) ignore_label = a.integer("ignore_label");
        return accuracy(a.array("y"), a.array("t"), ignore_label);
    });
const FunctionDef& f_binary_accuracy = function(
    "binary_accuracy(y, t)", {"y", "t"},
    [](const FunctionArguments& a) { return binary_accuracy(a.array("y"), a.array("t")); });

}  // namespace

Variable accuracy(const Operand& y, const Operand& t, std::optional<int64_t> ignore_label) {
    LocationScope scope(y.location());
    auto mode = no_backprop_mode();
    const Variable &vy = y, &vt = t;
    if (vy.rank() < 2 || vy.size() != vt.size() * vy.shape()[1])  // accuracy_c1
        fail<ShapeError>(
            "accuracy: t should have one label for every position of y, y is {} and t is {}",
            to_string(vy.shape()), to_string(vt.shape()));
    if (!is_integer(vt.dtype()) || !is_float(vy.dtype()))  // accuracy_c2
        fail<DtypeError>("accuracy: y should be floating point and t integer, they are {} and {}",
                         to_string(vy.type()), to_string(vt.type()));
    Variable right = reshape(argmax(vy, 1), vt.shape()) == vt;
    if (ignore_label) return share(right, vt != Scalar(*ignore_label), vy.dtype());
    return share(right, vt == vt, vy.dtype());
}

Variable binary_accuracy(const Operand& y, const Operand& t) {
    LocationScope scope(y.location());
    auto mode = no_backprop_mode();
    const Variable &vy = y, &vt = t;
    if (!(vy.shape() == vt.shape()))  // binary_accuracy_c1
        fail<ShapeError>("binary_accuracy: t should have y's shape {}, it has {}",
                         to_string(vy.shape()), to_string(vt.shape()));
    if (!is_integer(vt.dtype()) || !is_float(vy.dtype()))  // binary_accuracy_c2
        fail<DtypeError>(
            "binary_accuracy: y should be floating point and t integer, they are {} and {}",
            to_string(vy.type()), to_string(vt.type()));
    return share((vy >= Scalar(0)) == (vt == Scalar(1)), vt != Scalar(-1), vy.dtype());
}

}  // namespace catena
