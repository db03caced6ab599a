#include "frontend/descriptions/description.h"

#include <algorithm>

namespace catena {
namespace {

struct Description {
    std::string_view key, text;
};
/// The descriptions of functions, sorted by key. The build makes them of the comments in the
/// headers (frontend/python/generate/descriptions.py).
constexpr Description descriptions[] = {
#include "frontend/descriptions/function_descriptions.inc"
};

}  // namespace

std::string_view description(std::string_view key) {
    const auto* found = std::ranges::lower_bound(descriptions, key, {}, &Description::key);
    return found != std::end(descriptions) && found->key == key ? found->text : std::string_view();
}

}  // namespace catena
