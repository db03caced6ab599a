#pragma once

#include <functional>
#include <vector>

#include "frontend/catena.h"

namespace catena::testing {

struct TwoStates : Link {
    State q{Array::from({1.0})}, t{Array::from({100.0})};
    TwoStates() {
        add_persistent("q", q);
        add_persistent("t", t);
    }
};

/// Calls that assign to a state what no operation has computed: another state's content, or their
/// argument.
inline std::vector<std::function<Variable(TwoStates&, const Variable&)>> programs_of_two_states() {
    return {[](TwoStates& s, const Variable& x) {
                s.t = Variable(s.q);
                const Variable y = Variable(s.t) * 1.0;
                s.q = Variable(s.q) + x;
                return y;
            },
            [](TwoStates& s, const Variable& x) {
                const Variable old(s.t.array(), false);
                s.t = Variable(s.q);
                s.q = old;
                return x + Variable(s.t);
            },
            [](TwoStates& s, const Variable& x) {
                const Variable y = Variable(s.t) * 2.0;
                s.t = x;
                return y;
            },
            [](TwoStates& s, const Variable& x) {
                const Variable y = Variable(s.q) - Variable(s.t);
                s.q = x;
                s.t = x;
                return y;
            },
            [](TwoStates& s, const Variable& x) {  // The content is not read.
                s.t = Variable(s.q);
                return x * 2.0;
            }};
}

}  // namespace catena::testing
