#include "runtime/graph/op/declarations.h"

#include <algorithm>

namespace catena {

const Declaration* Declarations::repeated() const {
    for (auto each = all_.begin(); each != all_.end(); ++each) {
        const auto is_same = [&](const Declaration& other) { return other.kind_ == each->kind_; };
        if (std::any_of(all_.begin(), each, is_same)) return &*each;
    }
    return nullptr;
}

}  // namespace catena
