#include "runtime/ops/evaluation/evaluation.h"

#include <algorithm>

#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

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
const FunctionDef& f_r2_score =
    function("r2_score(pred, true, sample_weight=None, multioutput='uniform_average')",
             {"pred", "true"}, [](const FunctionArguments& a) {
                 if (!a.is_none("sample_weight"))
                     fail<ValueError>(
                         "r2_score: there are no weights of samples; sample_weight should be None");
                 return r2_score(a.array("pred"), a.array("true"), a.text("multioutput"));
             });

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

Variable r2_score(const Operand& pred, const Operand& truth, const std::string& multioutput) {
    LocationScope scope(pred.location());
    auto mode = no_backprop_mode();
    const Variable &p = pred, &t = truth;
    if (multioutput != "uniform_average" && multioutput != "raw_values")
        fail<ValueError>(
            "r2_score: multioutput is '{}' and should be 'uniform_average' or 'raw_values'",
            multioutput);
    if (!is_float(p.dtype()) || !is_float(t.dtype()))
        fail<DtypeError>("r2_score: pred and true should be floating point, they are {} and {}",
                         to_string(p.type()), to_string(t.type()));
    if (p.rank() < 1 || p.shape() != t.shape())
        fail<ShapeError>(
            "r2_score: pred and true should have one shape of at least one axis, they have {} and "
            "{}",
            to_string(p.shape()), to_string(t.shape()));
    const Variable truths = widened(t);
    const Variable rest = sum(square(truths - widened(p)), 0),
                   all = sum(square(truths - mean(truths, 0, true)), 0);
    const Variable each = where(all == 0, 0, 1 - rest / where(all == 0, 1, all));
    if (multioutput == "raw_values") return cast(each, p.dtype());
    return cast(sum(each) * (1.0 / double(std::max<int64_t>(each.size(), 1))), p.dtype());
}

}  // namespace catena
