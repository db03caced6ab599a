#include "frontend/link/connection/bilinear.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/connection/bilinear.h"

namespace catena {

Bilinear::Bilinear(int64_t left_size, int64_t right_size, int64_t out_size,
                   const BilinearOptions& options)
    : W(options.initialW),
      V1(options.initial_V1),
      V2(options.initial_V2),
      b(options.initial_bias),
      nobias_(options.nobias) {
    if (left_size <= 0 || right_size <= 0 || out_size <= 0)
        fail<ValueError>("Bilinear: sizes should be positive, not {}, {} and {}", left_size,
                         right_size, out_size);
    W.initialize({left_size, right_size, out_size});
    add_param("W", W);
    if (nobias_) return;
    V1.initialize({left_size, out_size});
    V2.initialize({right_size, out_size});
    b.initialize({out_size});
    add_param("V1", V1);
    add_param("V2", V2);
    add_param("b", b);
}

Variable Bilinear::operator()(const Operand& e1, const Operand& e2) {
    LocationScope scope(e1.location());
    return called({&e1.variable(), &e2.variable()},
                  [&] { return nobias_ ? bilinear(e1, e2, W) : bilinear(e1, e2, W, V1, V2, b); });
}

}  // namespace catena
