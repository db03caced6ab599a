#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/einsum.h"

namespace catena {
namespace {

/// The other axes of x, and those in order.
struct Split {
    Axes others, axes;
    Shape shape;  ///< Of the others.

    Split(const Variable& x, const Axes& given) {
        for (int64_t axis : given) {
            const int along = normalize_axis("tensordot", axis, x.rank());
            if (axes.contains(along))
                fail<ValueError>("tensordot: axis {} is named twice in {}", along,
                                 to_string(given));
            axes.push_back(along);
        }
        for (int i = 0; i < x.rank(); ++i)
            if (!axes.contains(i)) {
                others.push_back(i);
                shape.push_back(x.shape()[i]);
            }
    }
};

Variable ordered(const Variable& x, const Axes& first, const Axes& last) {
    Axes order = first;
    for (int64_t axis : last) order.push_back(axis);
    return order.empty() ? x : transpose(x, order);
}

const FunctionDef& f_tensordot =
    function("tensordot(a, b, axes=2)", {"a", "b"}, [](const FunctionArguments& a) {
        const LiteralValue& axes = a.value("axes");
        const auto lists = axes.items();
        if (!lists) return tensordot(a.array("a"), a.array("b"), a.integer("axes"));
        if (lists->size() != 2)
            fail<ValueError>("tensordot: axes has {} lists, it should be an integer or two lists",
                             lists->size());
        Axes each[2];
        for (size_t i = 0; i < 2; ++i) {
            const LiteralValue& one = (*lists)[i];
            for (const LiteralValue& each_axis : one.items().value_or(LiteralValue::List{one})) {
                const int64_t* axis = std::get_if<int64_t>(&each_axis.value);
                if (!axis)
                    fail<ValueError>(
                        "tensordot: axes should be an integer or two lists of integers, not {}",
                        to_string(axes));
                each[i].push_back(*axis);
            }
        }
        return tensordot(a.array("a"), a.array("b"), each[0], each[1]);
    });

}  // namespace

Variable tensordot(const Operand& a, const Operand& b, const Axes& a_axes, const Axes& b_axes) {
    LocationScope scope(a.location());
    const Variable &x = a, &y = b;
    if (!is_float(x.dtype()) || !is_float(y.dtype()))
        fail<DtypeError>("tensordot: a and b should be floating point, they are {} and {}",
                         to_string(x.type()), to_string(y.type()));
    if (a_axes.rank() != b_axes.rank())
        fail<ValueError>(
            "tensordot: {} axes of a and {} of b are named; the numbers should be equal",
            a_axes.rank(), b_axes.rank());
    const Split left(x, a_axes), right(y, b_axes);
    int64_t inner = 1;
    for (int i = 0; i < left.axes.rank(); ++i) {
        const int64_t size = x.shape()[left.axes[i]];
        if (size != y.shape()[right.axes[i]])
            fail<ShapeError>("tensordot: axis {} of a {} and axis {} of b {} differ in size",
                             left.axes[i], to_string(x.shape()), right.axes[i],
                             to_string(y.shape()));
        inner *= size;
    }
    const Variable rows = reshape(ordered(x, left.others, left.axes),
                                  {element_count(left.shape), inner}),
                   columns = reshape(ordered(y, right.axes, right.others),
                                     {inner, element_count(right.shape)});
    Shape shape = left.shape;
    for (int64_t size : right.shape) shape.push_back(size);
    return reshape(matmul(rows, columns), shape);
}

Variable tensordot(const Operand& a, const Operand& b, int64_t axes) {
    LocationScope scope(a.location());
    const int a_rank = a.variable().rank(), b_rank = b.variable().rank();
    if (axes < 0 || axes > a_rank || axes > b_rank)
        fail<ValueError>("tensordot: axes is {}; it should be 0 to {}, as a has {} axes and b {}",
                         axes, std::min(a_rank, b_rank), a_rank, b_rank);
    Axes last, first;
    for (int64_t i = 0; i < axes; ++i) {
        last.push_back(a_rank - axes + i);
        first.push_back(i);
    }
    return tensordot(a, b, last, first);
}

}  // namespace catena
