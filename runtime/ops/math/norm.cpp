#include "runtime/ops/math/norm.h"

#include "runtime/graph/variable_math.h"
#include "runtime/ops/define/define.h"

namespace catena {
namespace {

const OpDef& op_length =
    elementwise<1>("length_of")
        .floats()
        .forward([](auto squares) { return sqrt(squares); })
        .gradient([](auto squares, auto y, auto gy) {
            auto divisor = select(y == 0.0, y * 0.0 + 1.0, y);  // Its derivative at 0 is 0, too.
            return select(y == 0.0, gy * 0.0, gy * 0.5 / divisor);
        })
        .onnx("Sqrt(a)")
        .define();

}  // namespace

Variable length_of(const Variable& squares) {
    return call(op_length, current_location(), {}, {}, squares);
}

}  // namespace catena
