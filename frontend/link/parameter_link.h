#pragma once

#include "frontend/link/link.h"

namespace catena {

/// A link with a single parameter, Chainer's links.Parameter: called without arguments it returns
/// W.
class ParameterLink : public Link {
public:
    /// A link with this array as W.
    explicit ParameterLink(Array array) : W(std::move(array)) { add_param("W", W); }
    /// The parameter W.
    Variable operator()() {
        return called_with([&] { return Variable(W); });
    }

    /// The parameter.
    Parameter W;
};

}  // namespace catena
