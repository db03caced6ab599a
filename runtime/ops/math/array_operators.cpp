#include "runtime/ops/math/array_operators.h"

#include "runtime/core/error.h"

namespace catena {

void check_in_place(const Type& a, const Type& result, const char* symbol, const std::source_location& at) {
    if (a == result) return;
    const LocationScope scope(at);
    if (a.dtype != result.dtype)
        fail<DtypeError>("{}: the result is {}, the left side {}; cast the left side first, or assign the result to another array",
                         symbol, to_string(result), to_string(a));
    fail<ShapeError>("{}: the result is {}, the left side {}; broadcast the left side first", symbol, to_string(result),
                     to_string(a));
}

}  // namespace catena
