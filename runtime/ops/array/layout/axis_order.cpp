// Axes in another order.
#include "runtime/ops/array/layout/movement.h"

#include <utility>

#include "runtime/ops/by_name/function.h"

namespace catena {

Variable swapaxes(const Operand& x, int64_t axis1, int64_t axis2) {
    LocationScope scope(x.location());
    const int rank = x.variable().rank();
    Axes axes;
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    std::swap(axes[normalize_axis("swapaxes", axis1, rank)],
              axes[normalize_axis("swapaxes", axis2, rank)]);
    return transpose(x, axes);
}
static const FunctionDef& f_swapaxes =
    function("swapaxes(x, axis1, axis2)", {"x"}, [](const FunctionArguments& a) {
        return swapaxes(a.array("x"), a.integer("axis1"), a.integer("axis2"));
    });

// moveaxis_c1: as many sources as destinations, each without repeats
Variable moveaxis(const Operand& x, const Axes& source, const Axes& destination) {
    LocationScope scope(x.location());
    const int rank = x.variable().rank();
    Axes axes = Axes::filled(rank, -1);
    bool moved[max_rank] = {};
    bool fits = source.rank() == destination.rank();
    for (int i = 0; i < source.rank() && i < destination.rank(); ++i) {
        const int from = normalize_axis("moveaxis", source[i], rank);
        int64_t& place = axes[normalize_axis("moveaxis", destination[i], rank)];
        fits = fits && place < 0 && !moved[from];
        place = from;
        moved[from] = true;
    }
    if (!fits)
        fail<ShapeError>(
            "moveaxis: source {} and destination {} must be equally many axes, each once",
            to_string(source), to_string(destination));
    int free = 0;
    for (int64_t& axis : axes) {
        if (axis >= 0) continue;
        while (moved[free]) ++free;
        axis = free++;
    }
    return transpose(x, axes);
}
Variable moveaxis(const Operand& x, int64_t source, int64_t destination) {
    LocationScope scope(x.location());
    return moveaxis(x, Axes{source}, Axes{destination});
}
static const FunctionDef& f_moveaxis =
    function("moveaxis(x, source, destination)", {"x"}, [](const FunctionArguments& a) {
        return moveaxis(a.array("x"), a.dims("source"), a.dims("destination"));
    });

Variable rollaxis(const Operand& x, int64_t axis, int64_t start) {
    LocationScope scope(x.location());
    const int rank = x.variable().rank();
    const int from = normalize_axis("rollaxis", axis, rank);
    const int before = start == rank ? rank : normalize_axis("rollaxis", start, rank);
    Axes axes;
    for (int i = 0; i < rank; ++i)
        if (i != from) axes.push_back(i);
    axes.insert(before > from ? before - 1 : before, from);
    return transpose(x, axes);
}
static const FunctionDef& f_rollaxis =
    function("rollaxis(x, axis, start=0)", {"x"}, [](const FunctionArguments& a) {
        return rollaxis(a.array("x"), a.integer("axis"), a.integer("start"));
    });

}  // namespace catena
