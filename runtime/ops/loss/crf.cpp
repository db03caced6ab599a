#include "runtime/ops/loss/crf.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/reduced.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

int64_t rows_of(const Variable& x) { return x.shape()[0]; }
Variable first_rows(const Variable& x, int64_t count) { return slice_axis(x, 0, 0, count); }

void check_scores(const char* op, const Variable& cost, std::span<const Variable> xs) {
    if (xs.empty()) fail<ValueError>("{}: xs is empty, at least one position is needed", op);
    if (!is_float(cost.dtype()))
        fail<DtypeError>("{}: cost should be floating point, it is {}", op, to_string(cost.type()));
    if (cost.rank() != 2 || cost.shape()[0] != cost.shape()[1])
        fail<ShapeError>("{}: cost should be a square matrix, it is {}", op,
                         to_string(cost.shape()));
    for (size_t i = 0; i < xs.size(); ++i) {
        if (xs[i].dtype() != cost.dtype())
            fail<DtypeError>("{}: cost is {}, xs[{}] is {}; dtypes must be equal", op,
                             name_of(cost.dtype()), i, name_of(xs[i].dtype()));
        if (xs[i].rank() != 2 || xs[i].shape()[1] != cost.shape()[0])
            fail<ShapeError>("{}: xs[{}] should be [B,{}], as cost is {}; it is {}", op, i,
                             cost.shape()[0], to_string(cost.shape()), to_string(xs[i].shape()));
        if (i > 0 && rows_of(xs[i]) > rows_of(xs[i - 1]))
            fail<ShapeError>(
                "{}: xs[{}] {} has more sequences than xs[{}] {}; sort them by decreasing length",
                op, i, to_string(xs[i].shape()), i - 1, to_string(xs[i - 1].shape()));
    }
}

void check_tags(std::span<const Variable> xs, std::span<const Variable> ys) {
    if (xs.size() != ys.size())
        fail<ValueError>("crf1d: xs has {} positions and ys {}; the numbers should be equal",
                         xs.size(), ys.size());
    for (size_t i = 0; i < ys.size(); ++i) {
        if (!is_integer(ys[i].dtype()))
            fail<DtypeError>("crf1d: ys[{}] should be integer, it is {}", i,
                             to_string(ys[i].type()));
        if (ys[i].shape() != Shape{rows_of(xs[i])})
            fail<ShapeError>("crf1d: ys[{}] should be [{}], as xs[{}] is {}; it is {}", i,
                             rows_of(xs[i]), i, to_string(xs[i].shape()), to_string(ys[i].shape()));
    }
}

/// Values of sequences of which fewer and fewer go on: those that have ended are set aside.
struct Going {
    Variable now;
    std::vector<Variable> ended;

    void keep(int64_t count) {
        if (rows_of(now) == count) return;
        ended.insert(ended.begin(), slice_axis(now, 0, count, rows_of(now) - count));
        now = first_rows(now, count);
    }
    /// The sums of all sequences, those that have ended behind the others.
    Variable all() const {
        if (ended.empty()) return now;
        std::vector<Variable> parts{now};
        parts.insert(parts.end(), ended.begin(), ended.end());
        return concat(parts, 0);
    }
};

/// The log of the sum over all labellings of exp(score).
Variable log_partition(const Variable& cost, std::span<const Variable> xs) {
    Going alpha{xs[0], {}};
    for (const Variable& x : xs.subspan(1)) {
        alpha.keep(rows_of(x));
        alpha.now = logsumexp(expand_dims(alpha.now, 2) + cost, 1) + x;
    }
    return logsumexp(alpha.all(), 1);
}

Variable score_of(const Variable& cost, std::span<const Variable> xs,
                  std::span<const Variable> ys) {
    const Variable steps = flatten(cost);
    Going score{select_item(xs[0], ys[0]), {}};
    for (size_t i = 1; i < xs.size(); ++i) {
        score.keep(rows_of(xs[i]));
        const Variable here =
            select_item(xs[i], ys[i]);  // Before the step, so that it is this that refuses a label.
        const Variable from = cast(first_rows(ys[i - 1], rows_of(xs[i])), Dtype::int64);
        const Variable step = take(steps, from * cost.shape()[0] + ys[i]);
        score.now = score.now + here + step;
    }
    return score.all();
}

const FunctionDef& f_crf1d = function(
    "crf1d(cost, xs, ys, reduce='mean')", {"cost", "*xs", "*ys"}, [](const FunctionArguments& a) {
        const std::span<const Variable> all = a.list();  // cost, then xs, then as many ys.
        if (all.size() < 3 || all.size() % 2 == 0)
            fail<ValueError>("crf1d: {} arrays given; cost, xs and as many ys are needed",
                             all.size());
        const std::span<const Variable> rest = all.subspan(1);
        return crf1d(all[0], rest.first(rest.size() / 2), rest.last(rest.size() / 2),
                     a.text("reduce"));
    });
const FunctionDef& f_argmax_crf1d =
    function("argmax_crf1d(cost, xs)", {"cost", "*xs"}, [](const FunctionArguments& a) {
        const std::span<const Variable> all = a.list();
        if (all.empty()) fail<ValueError>("argmax_crf1d: cost and xs are missing");
        CrfPath path = argmax_crf1d(all[0], all.subspan(1));
        Variables results{path.score};
        for (const Variable& labels : path.labels) results.push_back(labels);
        return EndsInList{std::move(results), 1};
    });

}  // namespace

Variable crf1d(const Operand& cost, std::span<const Variable> scores, std::span<const Variable> ys,
               const std::string& reduce) {
    LocationScope scope(cost.location());
    const Variable steps = autocast_wide(cost);
    const std::vector<Variable> xs = autocast_wide(scores);
    check_reduce("crf1d", reduce, {"mean", "no"});
    check_scores("crf1d", steps, xs);
    check_tags(xs, ys);
    std::vector<Variable> wide;
    for (const Variable& x : xs) wide.push_back(widened(x));
    const Variable factors = widened(steps);
    return reduced(log_partition(factors, wide) - score_of(factors, wide, ys), reduce,
                   steps.dtype());
}

CrfPath argmax_crf1d(const Operand& cost, std::span<const Variable> given) {
    LocationScope scope(cost.location());
    const Variable steps = autocast_wide(cost);
    const std::vector<Variable> xs = autocast_wide(given);
    check_scores("argmax_crf1d", steps, xs);
    Going alpha{xs[0], {}};
    std::vector<Variable> origins;  // Where the best way to each label came from.
    for (const Variable& x : std::span(xs).subspan(1)) {
        alpha.keep(rows_of(x));
        const Variable scores = expand_dims(alpha.now, 2) + steps;
        origins.push_back(argmax(scores, 1));
        alpha.now = max(scores, 1) + x;
    }
    const Variable last = alpha.all();
    const Variable best = argmax(last, 1);
    CrfPath path{max(last, 1), Variables(xs.size())};
    path.labels.back() = first_rows(best, rows_of(xs.back()));
    for (size_t i = xs.size() - 1; i-- > 0;) {
        const int64_t on = rows_of(xs[i + 1]), here = rows_of(xs[i]);
        Variable labels = select_item(origins[i], path.labels[i + 1]);
        if (here > on) labels = concat({labels, slice_axis(best, 0, on, here - on)}, 0);
        path.labels[i] = labels;
    }
    return path;
}

}  // namespace catena
