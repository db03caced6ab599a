#pragma once

#include "frontend/link/sequential.h"

namespace catena {

/// A layer of a Sequential: a link or a function.
struct Sequential::Layer {
    OwnedLink link;  ///< The link of a layer; empty for a function.
    Function function;
    unsigned counts;  ///< Bit n: it takes n Variables.
    Call* call;

    void assign(Layer other) {
        link.assign(std::move(other.link));
        function = std::move(other.function);
        counts = other.counts;
        call = other.call;
    }
    Variables operator()(Arguments xs) const {
        return call(link ? static_cast<void*>(link.get()) : function.get(), xs);
    }
};

}  // namespace catena
