#include "runtime/ops/loss/margin.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/check_float.h"
#include "runtime/ops/define/widened.h"
#include "runtime/ops/loss/loss.h"
#include "runtime/ops/loss/reduced.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/norm.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

void check_margin(const char* op, const Scalar& margin) {
    if (!(margin.value() > 0))
        fail<ValueError>("{}: margin is {} and should be positive", op, margin.value());
}

/// A matrix, and an integer for each of its rows.
void check_labelled_rows(const char* op, const char* rows, const Variable& x, const char* labels,
                         const Variable& t) {
    check_float(op, rows, x.type());
    if (!is_integer(t.dtype()))
        fail<DtypeError>("{}: {} should be integer, it is {}", op, labels, to_string(t.type()));
    if (x.rank() != 2 || t.rank() != 1 || t.shape()[0] != x.shape()[0])
        fail<ShapeError>(
            "{}: {} should be a matrix and {} a vector with an entry for each row, they are {} and "
            "{}",
            op, rows, labels, to_string(x.shape()), to_string(t.shape()));
}

void check_alike(const char* op, const char* name0, const Variable& x0, const char* name1,
                 const Variable& x1) {
    if (x0.type() == x1.type()) return;
    if (x0.dtype() != x1.dtype())
        fail<DtypeError>("{}: {} and {} should have one dtype, they have {} and {}", op, name0,
                         name1, name_of(x0.dtype()), name_of(x1.dtype()));
    fail<ShapeError>("{}: {} and {} should have one shape, they have {} and {}", op, name0, name1,
                     to_string(x0.shape()), to_string(x1.shape()));
}

const FunctionDef& f_hinge =
    function("hinge(x, t, norm='L1', reduce='mean')", {"x", "t"}, [](const FunctionArguments& a) {
        return hinge(a.array("x"), a.array("t"), a.text("norm"), a.text("reduce"));
    });
const FunctionDef& f_triplet =
    function("triplet(anchor, positive, negative, margin=0.2, reduce='mean')",
             {"anchor", "positive", "negative"}, [](const FunctionArguments& a) {
                 return triplet(a.array("anchor"), a.array("positive"), a.array("negative"),
                                a.number("margin"), a.text("reduce"));
             });
const FunctionDef& f_contrastive =
    function("contrastive(x0, x1, y, margin=1, reduce='mean')", {"x0", "x1", "y"},
             [](const FunctionArguments& a) {
                 return contrastive(a.array("x0"), a.array("x1"), a.array("y"), a.number("margin"),
                                    a.text("reduce"));
             });

}  // namespace

Variable hinge(const Operand& x, const Operand& t, const std::string& norm,
               const std::string& reduce) {
    LocationScope scope(x.location());
    const Variable scores = autocast_wide(x);
    const Variable& labels = t;
    check_reduce("hinge", reduce, {"mean", "no"});
    if (norm != "L1" && norm != "L2")
        fail<ValueError>("hinge: norm is '{}' and should be 'L1' or 'L2'", norm);
    check_labelled_rows("hinge", "x", scores, "t", labels);
    const Variable wide = widened(scores);
    const Variable sign = 1 - 2 * one_hot(labels, scores.shape()[1], wide.dtype());
    const Variable missing = relu(1 + sign * wide);
    return reduced(norm == "L2" ? square(missing) : missing, reduce, scores.dtype(),
                   scores.shape()[0]);
}

Variable triplet(const Operand& anchor, const Operand& positive, const Operand& negative,
                 const Scalar& margin, const std::string& reduce) {
    LocationScope scope(anchor.location());
    const Variable a = autocast_wide(anchor), p = autocast_wide(positive),
                   n = autocast_wide(negative);
    check_reduce("triplet", reduce, {"mean", "no"});
    check_margin("triplet", margin);
    check_float("triplet", "anchor", a.type());
    check_alike("triplet", "anchor", a, "positive", p);
    check_alike("triplet", "anchor", a, "negative", n);
    if (a.rank() < 2)
        fail<ShapeError>("triplet: anchor should have a second axis to sum along, it is {}",
                         to_string(a.shape()));
    const Variable wide = widened(a);
    const Variable further =
        sum(squared_error(wide, widened(p)) - squared_error(wide, widened(n)), 1);
    return reduced(relu(further + margin), reduce, a.dtype(), a.shape()[0]);
}

Variable contrastive(const Operand& x0, const Operand& x1, const Operand& y, const Scalar& margin,
                     const std::string& reduce) {
    LocationScope scope(x0.location());
    const Variable a = autocast_wide(x0), b = autocast_wide(x1);
    const Variable& labels = y;
    check_reduce("contrastive", reduce, {"mean", "no"});
    check_margin("contrastive", margin);
    check_labelled_rows("contrastive", "x0", a, "y", labels);
    check_alike("contrastive", "x0", a, "x1", b);
    const Variable squares = sum(squared_error(widened(a), widened(b)), 1);
    const Variable near = square(relu(margin - length_of(squares)));
    const Variable like = cast(labels, squares.dtype());
    return reduced((like * squares + (1 - like) * near) * 0.5, reduce, a.dtype(), a.shape()[0]);
}

}  // namespace catena
