#pragma once

#include "frontend/link/link.h"

namespace catena {

/// A link with a single parameter, Chainer's links.Parameter: called without arguments it returns
/// W.
class ParameterLink : public Link {
public:
    explicit ParameterLink(Array array) : W(std::move(array)) { add_param("W", W); }
    Variable operator()() {
        return called_with([&] { return Variable(W); });
    }

    Parameter W;
};

}  // namespace catena
