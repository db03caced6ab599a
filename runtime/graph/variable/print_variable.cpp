#include "runtime/graph/variable/print_variable.h"

#include <ostream>

namespace catena {

std::string to_text(const Variable& x, const PrintOptions& options) {
    return to_text(x.defined() ? x.array() : Array(), options);
}

std::ostream& operator<<(std::ostream& out, const Variable& x) { return out << to_text(x); }

}  // namespace catena
