#include "frontend/link/connection/simplified_dropconnect.h"

#include "frontend/link/lazy.h"

namespace catena {

SimplifiedDropconnect::SimplifiedDropconnect(std::optional<int64_t> in_size, int64_t out_size,
                                             const SimplifiedDropconnectLinkOptions& options)
    : W(options.initialW),
      b(options.initial_bias),
      out_size_(out_size),
      ratio_(options.ratio),
      nobias_(options.nobias) {
    if (out_size <= 0)
        fail<ValueError>("SimplifiedDropconnect: out_size must be positive, not {}", out_size);
    add_param("W", W);
    if (auto size = known("SimplifiedDropconnect: in_size", in_size))
        W.initialize({out_size, *size});
    if (nobias_) return;
    b.initialize({out_size});
    add_param("b", b);
}

Variable SimplifiedDropconnect::operator()(const Operand& operand, bool train, const Variable& mask,
                                           bool use_batchwise_mask) {
    LocationScope scope(operand.location());
    const Variable& x = operand;
    if (x.rank() < 2)
        fail<ShapeError>("SimplifiedDropconnect: x should be [N, ...], it is {}",
                         to_string(x.type()));
    if (!W.is_initialized())
        W.initialize({out_size_, x.size() / std::max<int64_t>(x.shape()[0], 1)});
    return called(x, [&] {
        return simplified_dropconnect(operand, W, nobias_ ? Variable() : Variable(b),
                                      {.ratio = ratio_,
                                       .train = train,
                                       .mask = mask,
                                       .use_batchwise_mask = use_batchwise_mask});
    });
}

}  // namespace catena
