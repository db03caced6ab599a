#include "frontend/testing/assert_allclose.h"

#include <cmath>
#include <vector>

namespace catena {
namespace {

/// The indices of a place in row-major order.
Dims index_of(int64_t place, const Shape& shape) {
    Dims index = Dims::filled(shape.rank(), 0);
    for (int axis = shape.rank(); axis-- > 0; place /= shape[axis])
        index[axis] = place % shape[axis];
    return index;
}

bool is_close(double x, double y, double atol, double rtol) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (std::isinf(x) || std::isinf(y)) return x == y;
    return std::abs(x - y) <= atol + rtol * std::abs(y);
}

}  // namespace

void assert_allclose(const Array& x, const Array& y, double atol, double rtol,
                     const std::source_location& at) {
    const LocationScope scope(at);
    if (x.shape() != y.shape())
        fail<CheckError>("assert_allclose: x is {}, y {}; their shapes must be equal",
                         to_string(x.type()), to_string(y.type()));
    const std::vector<double> a = x.to_vector<double>(), b = y.to_vector<double>();
    size_t wrong = 0, worst = 0;
    double most = -1;
    for (size_t i = 0; i < a.size(); ++i) {
        if (is_close(a[i], b[i], atol, rtol)) continue;
        ++wrong;
        const double distance = std::isnan(a[i] - b[i]) ? INFINITY : std::abs(a[i] - b[i]);
        if (distance > most) most = distance, worst = i;
    }
    if (wrong > 0)
        fail<CheckError>(
            "assert_allclose: {} of {} elements differ by more than {} + {} |y|; most at {}: x is "
            "{}, y {}",
            wrong, a.size(), atol, rtol, to_string(index_of(int64_t(worst), x.shape())), a[worst],
            b[worst]);
}

}  // namespace catena
