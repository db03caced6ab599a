#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "frontend/link/link.h"
#include "frontend/testing/function_check.h"

namespace catena {

/// The parts of check_link; by default it checks everything.
template <std::derived_from<Link> L>
struct LinkCheck {
    /// The expected results, in float64, of a link whose parameters are float64; without it they
    /// are not compared with others.
    std::function<std::vector<Array>(const L& link, std::span<const Array> xs)> expected = {};
    /// Whether gradients of float inputs and of parameters are compared with slopes, in float64.
    bool backward = true;
    bool double_backward = true;  ///< Whether gradients of the gradients are compared, too.
    bool compiled = true;  ///< Whether a static region must give the same results and gradients.
    bool saved = true;     ///< Whether another link that loads its file must give the same results.
    GradientCheck gradients = {.eps = 1e-4, .atol = 1e-6, .rtol = 1e-4};
    double atol = 1e-9, rtol = 1e-9;  ///< Tolerances of results against `expected`.
};

namespace checks {

/// A link whose class only the callbacks know.
struct ErasedLink {
    std::function<std::shared_ptr<Link>()> make;
    std::function<std::shared_ptr<Link>(const Link&)> copy;
    std::function<Variables(Link&, std::span<const Variable>)> call;
    std::function<std::vector<Array>(const Link&, std::span<const Array>)> expected;
    std::function<void(Link& from, Link& to)> save_and_load;
};
void check_link(const ErasedLink& link, const std::vector<Array>& inputs, bool backward,
                bool double_backward, bool compiled, const GradientCheck& gradients, double atol,
                double rtol, const std::source_location& at);
/// Saves and loads through a temporary file.
void through_a_file(const std::function<void(const Serializer&)>& from,
                    const std::function<void(const Serializer&)>& to);

template <class L, size_t... I>
Variables call_link(L& link, std::span<const Variable> xs, std::index_sequence<I...>) {
    if constexpr (requires { Variables{link(xs[I]...)}; })
        return Variables{link(xs[I]...)};
    else
        return link(xs[I]...);
}

}  // namespace checks

/// Tests a link of one's own as Chainer's testing.LinkTestCase does. make() gives a new link; it is
/// called with one Variable for each of `inputs` (at most three):
///
///     ct::check_link([] { return Scaled(3); }, {x}, {.expected = [](const Scaled& link, auto xs) {
///     ... }});
///
/// Results; gradients of inputs and parameters, and theirs; all members are listed; a copy gives
/// the same and is independent; another link that loads its file gives the same; a static region
/// gives the same. CheckError that says which check failed. The link is called in test mode, in
/// which it must be deterministic.
template <class Make, std::derived_from<Link> L = std::invoke_result_t<Make&>>
void check_link(Make make, const std::vector<Array>& inputs, const LinkCheck<L>& options = {},
                const std::source_location& at = std::source_location::current()) {
    checks::ErasedLink erased;
    erased.make = [&] { return std::make_shared<L>(make()); };
    erased.copy = [](const Link& link) { return std::make_shared<L>(static_cast<const L&>(link)); };
    erased.call = [](Link& link, std::span<const Variable> xs) {
        L& l = static_cast<L&>(link);
        if constexpr (std::invocable<L&, const Variable&>)
            if (xs.size() == 1) return checks::call_link(l, xs, std::make_index_sequence<1>());
        if constexpr (std::invocable<L&, const Variable&, const Variable&>)
            if (xs.size() == 2) return checks::call_link(l, xs, std::make_index_sequence<2>());
        if constexpr (std::invocable<L&, const Variable&, const Variable&, const Variable&>)
            if (xs.size() == 3) return checks::call_link(l, xs, std::make_index_sequence<3>());
        fail<ValueError>("check_link: {} is not called with {} Variables", l.type_name(),
                         xs.size());
    };
    if (options.expected)
        erased.expected = [&](const Link& link, std::span<const Array> xs) {
            return options.expected(static_cast<const L&>(link), xs);
        };
    if (options.saved)
        erased.save_and_load = [](Link& from, Link& to) {
            from.know_size(sizeof(L));
            to.know_size(sizeof(L));
            checks::through_a_file([&](const Serializer& s) { from.serialize(s); },
                                   [&](const Serializer& s) { to.serialize(s); });
        };
    checks::check_link(erased, inputs, options.backward, options.double_backward, options.compiled,
                       options.gradients, options.atol, options.rtol, at);
}

}  // namespace catena
