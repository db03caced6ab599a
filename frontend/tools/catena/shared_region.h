#pragma once

#include <memory>
#include <utility>

#include "frontend/static_graph.h"

namespace catena::tool {

/// A static region that copies of one closure can share.
template <class F>
auto shared_region(const char* name, F f) {
    using Region = decltype(static_graph(std::move(f)));
    return std::make_shared<Region>(static_graph(std::move(f), {.name = name}));
}

}  // namespace catena::tool
