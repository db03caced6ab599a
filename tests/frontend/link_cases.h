#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/link/link.h"

namespace catena::testing {

/// A link of which tests/conformance/chainer_links.py has what Chainer gives.
struct LinkCase {
    std::string name;
    std::shared_ptr<Link> link;
    std::function<Variable(const std::vector<Variable>& xs)> call;
    bool train = true;
    int calls = 1;
};

template <class L, class Call>
LinkCase link_case(std::string name, L link, Call call, bool train = true, int calls = 1) {
    auto held = std::make_shared<L>(std::move(link));
    return {std::move(name), held,
            [held, call](const std::vector<Variable>& xs) { return call(*held, xs); }, train,
            calls};
}
/// Called with its only input.
template <class L>
LinkCase link_case(std::string name, L link, bool train = true, int calls = 1) {
    return link_case(
        std::move(name), std::move(link),
        [](L& l, const std::vector<Variable>& xs) { return l(xs.at(0)); }, train, calls);
}
/// Called with its two inputs.
template <class L>
LinkCase pair_case(std::string name, L link) {
    return link_case(std::move(name), std::move(link),
                     [](L& l, const std::vector<Variable>& xs) { return l(xs.at(0), xs.at(1)); });
}

/// Makes all cases anew.
std::vector<LinkCase> link_cases();

}  // namespace catena::testing
