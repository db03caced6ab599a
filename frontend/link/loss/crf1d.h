#pragma once

#include "frontend/link/link.h"
#include "runtime/ops/loss/crf.h"

namespace catena {

/// A linear-chain conditional random field with the learned scores of steps, cost [n_label,
/// n_label]. xs and ys are positions as crf1d takes them or, with `transpose`, sequences of any
/// lengths from 1 on and in any order: xs[i] [length, n_label], ys[i] integers [length].
class CRF1d : public Link {
public:
    /// A layer for n_label labels.
    explicit CRF1d(int64_t n_label, const Initializer& initial_cost = 0.0);

    /// The negative log likelihood of the labels. With `transpose` and reduce = "no" the losses are
    /// in the order of decreasing length.
    Variable operator()(std::span<const Variable> xs, std::span<const Variable> ys,
                        const std::string& reduce = "mean", bool transpose = false,
                        const std::source_location& at = std::source_location::current());
    /// The likeliest labels and their scores; with `transpose` labels[i] are those of xs[i], and
    /// the scores in the order of decreasing length.
    CrfPath argmax(std::span<const Variable> xs, bool transpose = false,
                   const std::source_location& at = std::source_location::current());

    /// The learned scores of steps, [n_label, n_label].
    Parameter cost;
};

}  // namespace catena
