#include "frontend/python/bind/function/descriptions.h"

#include <algorithm>

namespace catena::python {
namespace {

struct Description {
    std::string_view key, text;
};
/// By key, in their order. The build makes them of the comments in the headers
/// (generate/descriptions.py).
constexpr Description descriptions[] = {
#include "frontend/python/bind/function_descriptions.inc"
};

}  // namespace

std::string_view description(std::string_view key) {
    const auto* found = std::ranges::lower_bound(descriptions, key, {}, &Description::key);
    return found != std::end(descriptions) && found->key == key ? found->text : std::string_view();
}

}  // namespace catena::python
