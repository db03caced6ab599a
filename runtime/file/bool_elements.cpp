#include "runtime/file/bool_elements.h"

namespace catena {

void settle_bools(const Array& array) {
    if (array.dtype() != Dtype::bool_ || array.size() == 0) return;
    char* const bytes = static_cast<char*>(array.to_fill());
    for (char* byte = bytes; byte < bytes + array.size(); ++byte) *byte = *byte != 0;
}

}  // namespace catena
