#include "runtime/ops/array/indexing/as_strided.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/creation.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

/// The first and the last place that strides lead to, from `offset`.
struct Reach {
    int64_t least, most;
    Reach(const Shape& shape, const Strides& strides, int64_t offset)
        : least(offset), most(offset) {
        for (int i = 0; i < shape.rank(); ++i) {
            const int64_t way = product_of_sizes("as_strided", {shape[i] - 1, strides[i]});
            int64_t& end = way < 0 ? least : most;
            end = sum_of_sizes("as_strided", {end, way});
        }
    }
};

const FunctionDef& f_as_strided = function(
    "as_strided(x, shape, strides, storage_offset=0)", {"x"}, [](const FunctionArguments& a) {
        return as_strided(a.array("x"), a.dims("shape"), a.dims("strides"),
                          a.is_none("storage_offset") ? 0 : a.integer("storage_offset"));
    });

}  // namespace

Variable as_strided(const Operand& x, const Shape& shape, const Strides& strides, int64_t offset) {
    LocationScope scope(x.location());
    const Variable& v = x;
    if (shape.rank() != strides.rank())
        fail<ShapeError>("as_strided: the shape {} and the strides {} must be equally many numbers",
                         to_string(shape), to_string(strides));
    for (int64_t size : shape)
        if (size < 0)
            fail<ShapeError>("as_strided: an array cannot have the shape {}", to_string(shape));
    const Reach reach(shape, strides, offset);
    if (!shape.contains(0) && (reach.least < 0 || reach.most >= v.size()))
        fail<ShapeError>(
            "as_strided: shape {}, strides {} and offset {} lead to the elements {} to {}, x {} "
            "has {}",
            to_string(shape), to_string(strides), offset, reach.least, reach.most,
            to_string(v.shape()), v.size());
    const DeviceScope beside(v.device());
    Variable places = fill({Dtype::int64, Shape::filled(shape.rank(), 1)}, offset);
    for (int i = 0; i < shape.rank(); ++i) {
        Shape line = Shape::filled(shape.rank(), 1);
        line[i] = shape[i];
        const Array steps = arange(shape[i], Dtype::int64);
        places = places + reshape(steps, line) * strides[i];
    }
    return take(flatten(v), broadcast_to(places, shape), 0);
}

}  // namespace catena
