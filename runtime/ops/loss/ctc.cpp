#include "runtime/ops/loss/ctc.h"

#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/reduced.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

/// The logarithm of a probability of 0: finite, so that sums of such have a gradient of 0 and not
/// NaN.
constexpr double never = -1e10;
constexpr const char* ctc_name = "connectionist_temporal_classification";

struct Task {
    std::span<const Variable> xs;
    const Variable &t, &input_length, &label_length;
    int64_t blank;
    int64_t batch() const { return xs[0].shape()[0]; }
    int64_t symbols() const { return xs[0].shape()[1]; }
    int64_t labels() const { return t.shape()[1]; }
    int64_t places() const {
        return 2 * labels() + 1;
    }  ///< Of the path: blanks around every label.
};

void check_lengths(const char* what, const Variable& lengths, int64_t batch) {
    if (!lengths.defined()) return;
    if (!is_integer(lengths.dtype()))
        fail<DtypeError>("{}: {} should be integers, it is {}", ctc_name, what,
                         to_string(lengths.type()));
    if (lengths.shape() != Shape{batch})
        fail<ShapeError>("{}: {} should be [{}], it is {}", ctc_name, what, batch,
                         to_string(lengths.shape()));
}

// ctc_c1: xs [B, V], at least one; t [B, M] integers; lengths [B] integers; 0 <= blank < V
void check_sequences(const Task& task) {
    for (size_t i = 0; i < task.xs.size(); ++i) {
        const Variable& x = task.xs[i];
        if (!is_float(x.dtype()))
            fail<DtypeError>("{}: x[{}] should be floating point, it is {}", ctc_name, i,
                             to_string(x.type()));
        if (x.rank() != 2 || x.shape() != task.xs[0].shape())
            fail<ShapeError>("{}: x[{}] should be [B,V] as x[0], it is {} and x[0] {}", ctc_name, i,
                             to_string(x.shape()), to_string(task.xs[0].shape()));
    }
    if (!is_integer(task.t.dtype()))
        fail<DtypeError>("{}: t should be integers, it is {}", ctc_name, to_string(task.t.type()));
    if (task.t.rank() != 2 || task.t.shape()[0] != task.batch())
        fail<ShapeError>("{}: t should be [{},labels], as x[0] is {}; it is {}", ctc_name,
                         task.batch(), to_string(task.xs[0].shape()), to_string(task.t.shape()));
    check_lengths("input_length", task.input_length, task.batch());
    check_lengths("label_length", task.label_length, task.batch());
    if (task.blank < 0 || task.blank >= task.symbols())
        fail<ValueError>("{}: blank_symbol is {} and should be one of the {} symbols", ctc_name,
                         task.blank, task.symbols());
}

Variable column(const Variable& lengths) {
    return reshape(cast(lengths, Dtype::int64), {lengths.size(), 1});
}

/// The labels with blanks before, between and behind them, [B, places].
Variable path_of(const Task& task) {
    const int64_t batch = task.batch(), labels = task.labels();
    Variable t = cast(task.t, Dtype::int64);
    // What is past a length may be no symbol.
    if (task.label_length.defined())
        t = where(counting(0, labels, task.xs[0]) < column(task.label_length), t, task.blank);
    const Variable blanks = fill({Dtype::int64, {batch, labels}}, task.blank);
    return concat({reshape(stack({blanks, t}, 2), {batch, 2 * labels}),
                   fill({Dtype::int64, {batch, 1}}, task.blank)},
                  1);
}

/// x moved by `places` to the right; nothing comes in from the left.
Variable moved(const Variable& x, int64_t places) {
    const int64_t kept = std::max<int64_t>(x.shape()[1] - places, 0), empty = x.shape()[1] - kept;
    return concat({fill({x.dtype(), {x.shape()[0], empty}}, never), slice_axis(x, 1, 0, kept)}, 1);
}

/// The logarithm of the probability of each beginning of the path after all steps, [B, places].
Variable beginnings(const Task& task, const Variable& path, const Variable& scores) {
    const int64_t places = task.places(), batch = task.batch();
    const Dtype dtype = scores.dtype();
    Variable alpha =
        concat({fill({dtype, {batch, 1}}, 0), fill({dtype, {batch, places - 1}}, never)}, 1);
    // From the place before last, unless both hold the same symbol: a blank must part equal labels.
    Variable skips;
    if (places > 2) {
        const Variable same =
            slice_axis(path, 1, 2, places - 2) == slice_axis(path, 1, 0, places - 2);
        skips = concat({fill({Dtype::bool_, {batch, 2}}, 0), !same}, 1);
    }
    const Variable lengths = task.input_length.defined() ? column(task.input_length) : Variable();
    for (int64_t i = 0; i < int64_t(task.xs.size()); ++i) {
        std::vector<Variable> ways{alpha, moved(alpha, 1)};
        if (skips.defined()) ways.push_back(where(skips, moved(alpha, 2), never));
        const Variable next =
            logsumexp(stack(ways, 0), 0) + reshape(slice_axis(scores, 0, i, 1), {batch, places});
        alpha = lengths.defined() ? where(lengths > i, next, alpha) : next;
    }
    return alpha;
}

/// The paths may end with their last label or the blank behind it.
Variable log_likelihood(const Task& task, const Variable& alpha) {
    const int64_t batch = task.batch(), places = task.places();
    if (!task.label_length.defined())
        return logsumexp(
            slice_axis(alpha, 1, std::max<int64_t>(places - 2, 0), std::min<int64_t>(places, 2)),
            1);
    const Variable last = column(task.label_length) * 2;
    const Variable behind = take_along_axis(alpha, last, 1);
    const Variable label = where(last > 0, take_along_axis(alpha, maximum(last - 1, 0), 1), never);
    return reshape(logsumexp(concat({behind, label}, 1), 1), {batch});
}

const FunctionDef& f_ctc = function(
    "connectionist_temporal_classification(x, t, blank_symbol, input_length=None, "
    "label_length=None, reduce='mean')",
    {"*x", "t", "input_length", "label_length"}, [](const FunctionArguments& a) {
        // Matrices, of which the last is t; then perhaps input_length and label_length.
        const std::span<const Variable> all = a.list();
        size_t steps = all.size();
        while (steps > 0 && all[steps - 1].rank() != 2) --steps;
        if (steps-- == 0 || all.size() > steps + 3)
            fail<ValueError>(
                "{}: {} arrays given; the matrices of x, then t and at most two lengths are needed",
                ctc_name, all.size());
        const auto optional = [&](size_t k) {
            return steps + k < all.size() ? all[steps + k] : Variable();
        };
        return connectionist_temporal_classification(all.first(steps), all[steps],
                                                     a.integer("blank_symbol"), optional(1),
                                                     optional(2), a.text("reduce"));
    });

}  // namespace

Variable connectionist_temporal_classification(std::span<const Variable> xs, const Operand& t,
                                               int64_t blank_symbol, const Variable& input_length,
                                               const Variable& label_length,
                                               const std::string& reduce) {
    LocationScope scope(t.location());
    check_reduce(ctc_name, reduce, {"mean", "no"});
    if (xs.empty()) fail<ValueError>("{}: x is empty, at least one step is needed", ctc_name);
    const Task task{xs, t, input_length, label_length, blank_symbol};
    check_sequences(task);
    const DeviceScope beside(xs[0].device());
    const int64_t steps = int64_t(xs.size()), batch = task.batch();
    const Variable scores = log_softmax(widened(stack(xs, 0)), 2), path = path_of(task);
    const Variable of_path = take_along_axis(
        scores,
        broadcast_to(reshape(path, {1, batch, task.places()}), {steps, batch, task.places()}), 2);
    return reduced(-log_likelihood(task, beginnings(task, path, of_path)), reduce, xs[0].dtype());
}

}  // namespace catena
