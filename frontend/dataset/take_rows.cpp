#include "frontend/dataset/take_rows.h"

#include <cstring>

#include "runtime/core/system/error.h"

namespace catena {

Array take_rows(const Array& array, std::span<const int64_t> rows) {
    if (array.rank() == 0) fail<ShapeError>("take_rows: a 0-d array has no rows");
    Array from = array.as_contiguous();
    Shape shape = from.shape();
    int64_t available = shape[0];
    shape[0] = int64_t(rows.size());
    Array to = Array::empty({from.dtype(), shape}, from.device());
    size_t bytes = available > 0 ? size_t(from.size() / available) * size_of(from.dtype()) : 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || rows[i] >= available)
            fail<ValueError>("take_rows: there is no row {}, the array has {}", rows[i], available);
        if (bytes > 0)
            std::memcpy(static_cast<char*>(to.to_fill()) + i * bytes,
                        static_cast<const char*>(from.elements()) + size_t(rows[i]) * bytes, bytes);
    }
    return to;
}

}  // namespace catena
