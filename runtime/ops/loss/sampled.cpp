#include "runtime/ops/loss/sampled.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/reduced.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

// sampled_c1: x [N, D], t [N] and samples [N, S] integers, W [V, D] of x's dtype
void check_samples(const char* op, const Variable& x, const Variable& t, const Variable& W) {
    if (!is_float(x.dtype()))
        fail<DtypeError>("{}: x should be floating point, it is {}", op, to_string(x.type()));
    if (W.dtype() != x.dtype())
        fail<DtypeError>("{}: x is {}, W is {}; dtypes must be equal", op, name_of(x.dtype()),
                         name_of(W.dtype()));
    if (!is_integer(t.dtype()))
        fail<DtypeError>("{}: t should be integers, it is {}", op, to_string(t.type()));
    if (x.rank() != 2 || W.rank() != 2 || x.shape()[1] != W.shape()[1])
        fail<ShapeError>("{}: x should be [N,D] and W [V,D], they are {} and {}", op,
                         to_string(x.shape()), to_string(W.shape()));
    if (t.shape() != Shape{x.shape()[0]})
        fail<ShapeError>("{}: t should be [{}], as x is {}; it is {}", op, x.shape()[0],
                         to_string(x.shape()), to_string(t.shape()));
}
void check_samples(const char* op, const Variable& x, const Variable& samples) {
    if (!is_integer(samples.dtype()))
        fail<DtypeError>("{}: samples should be integers, they are {}", op,
                         to_string(samples.type()));
    if (samples.rank() != 2 || samples.shape()[0] != x.shape()[0])
        fail<ShapeError>("{}: samples should be [{},S], as x is {}; they are {}", op, x.shape()[0],
                         to_string(x.shape()), to_string(samples.shape()));
}

/// The products of each row of x with the rows of W that `words` [N, K] names, [N, K].
Variable scores(const Variable& x, const Variable& words, const Variable& W) {
    const int64_t n = x.shape()[0];
    const AutocastScope wide(Dtype::float32);
    return reshape(matmul(widened(embed_id(words, W)), widened(reshape(x, {n, x.shape()[1], 1}))),
                   {n, words.shape()[1]});
}

constexpr int ignored = -1;

/// The label and the samples of every row, int32.
Variable with_labels(const Variable& t, const Variable& samples) {
    return concat({cast(reshape(t, {t.size(), 1}), Dtype::int32), cast(samples, Dtype::int32)}, 1);
}

/// `words` [N, K]: the label first.
Variable loss_of_words(const Variable& x, const Variable& t, const Variable& W,
                       const Variable& words, const std::string& reduce) {
    const int64_t n = x.shape()[0], samples = words.shape()[1] - 1;
    const Variable valid = reshape(t != ignored, {n, 1});
    const Variable all = scores(x, where(valid, words, 0), W);
    const Variable right = softplus(-slice_axis(all, 1, 0, 1)),
                   wrong = softplus(slice_axis(all, 1, 1, samples));
    const Variable each = where(valid, right + sum(wrong, 1, true), 0);
    return reduced(reshape(each, {n}), reduce, x.dtype());
}

const FunctionDef& f_negative_sampling =
    function("negative_sampling(x, t, W, samples, reduce='sum')", {"x", "t", "W", "samples"},
             [](const FunctionArguments& a) {
                 return negative_sampling(a.array("x"), a.array("t"), a.array("W"),
                                          a.array("samples"), a.text("reduce"));
             });
const FunctionDef& f_black_out =
    function("black_out(x, t, W, samples, reduce='mean')", {"x", "t", "W", "samples"},
             [](const FunctionArguments& a) {
                 return black_out(a.array("x"), a.array("t"), a.array("W"), a.array("samples"),
                                  a.text("reduce"));
             });

}  // namespace

NegativeSamplingResult negative_sampling(const Operand& narrow_x, const Operand& t,
                                         const Operand& narrow_W, const Sampler& sampler,
                                         int64_t sample_size, const std::string& reduce) {
    LocationScope scope(narrow_x.location());
    const Variable x = autocast_wide(narrow_x), W = autocast_wide(narrow_W);
    check_reduce("negative_sampling", reduce, {"sum", "no"});
    check_samples("negative_sampling", x, t, W);
    if (sample_size < 0)
        fail<ValueError>("negative_sampling: sample_size should be 0 or more, it is {}",
                         sample_size);
    const Variable samples = sampler(Shape{x.shape()[0], sample_size});
    check_samples("negative_sampling", x, samples);
    const Variable words = with_labels(t, samples);
    return {loss_of_words(x, t, W, words, reduce), words};
}

Variable negative_sampling(const Operand& narrow_x, const Operand& t, const Operand& narrow_W,
                           const Operand& samples, const std::string& reduce) {
    LocationScope scope(narrow_x.location());
    const Variable x = autocast_wide(narrow_x), W = autocast_wide(narrow_W);
    check_reduce("negative_sampling", reduce, {"sum", "no"});
    check_samples("negative_sampling", x, t, W);
    check_samples("negative_sampling", x, samples);
    return loss_of_words(x, t, W, with_labels(t, samples), reduce);
}

Variable black_out(const Operand& narrow_x, const Operand& t, const Operand& narrow_W,
                   const Operand& samples, const std::string& reduce) {
    LocationScope scope(narrow_x.location());
    const Variable x = autocast_wide(narrow_x), W = autocast_wide(narrow_W);
    check_reduce("black_out", reduce, {"mean", "no"});
    check_samples("black_out", x, t, W);
    check_samples("black_out", x, samples);
    const int64_t n = x.shape()[0];
    const Variable all = scores(x, with_labels(t, samples), W);
    const Variable log_p = all - logsumexp(all, 1, true);
    const Variable of_label = slice_axis(log_p, 1, 0, 1),
                   of_samples = slice_axis(log_p, 1, 1, all.shape()[1] - 1);
    const Variable each = of_label + sum(log(1.0 - exp(of_samples)), 1, true);
    return reduced(-reshape(each, {n}), reduce, x.dtype());
}

}  // namespace catena
