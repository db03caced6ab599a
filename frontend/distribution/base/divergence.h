#pragma once

#include <functional>
#include <typeinfo>

#include "frontend/distribution/base/distribution.h"

namespace catena {

/// The Kullback-Leibler divergence of q from p, for each event of the batch: the function
/// registered for exactly these two classes. ValueError where there is none.
Variable kl_divergence(const Distribution& p, const Distribution& q);
/// The entropy of p and the divergence of q from it.
Variable cross_entropy(const Distribution& p, const Distribution& q);

using Divergence = std::function<Variable(const Distribution&, const Distribution&)>;
/// Registers the divergence for two classes; a later registration replaces an earlier one. Returns
/// true, for initialisers.
bool register_kl(const std::type_info& p, const std::type_info& q, Divergence divergence);
/// Registers a divergence for two classes: `register_kl<Normal, Laplace>([](const Normal& p, const
/// Laplace& q) { return ...; })`.
template <class P, class Q, class F>
bool register_kl(F divergence) {
    return register_kl(typeid(P), typeid(Q),
                       [divergence](const Distribution& p, const Distribution& q) {
                           return divergence(static_cast<const P&>(p), static_cast<const Q&>(q));
                       });
}

}  // namespace catena
