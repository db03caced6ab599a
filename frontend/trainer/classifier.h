#pragma once

#include <functional>

#include "frontend/link/chain.h"
#include "frontend/trainer/reporter.h"
#include "runtime/ops/evaluation/evaluation.h"
#include "runtime/ops/loss/loss.h"

namespace catena {

/// A predictor with a loss: called with x and t it gives lossfun(predictor(x), t), and reports "loss" and "accuracy".
template <std::derived_from<Link> Predictor>
class Classifier : public Chain {
public:
    using Function = std::function<Variable(const Variable& y, const Variable& t)>;

    explicit Classifier(Predictor predictor, Function lossfun = cross_entropy, Function accfun = share_of_right)
        : predictor(std::move(predictor)), lossfun_(std::move(lossfun)), accfun_(std::move(accfun)) {
        add_children({{"predictor", this->predictor}});
    }

    Variable operator()(const Variable& x, const Variable& t) {
        return called({&x, &t}, [&] { return scored(predictor(x), t); });
    }
    /// For predictors of two arrays; the labels are the last value of an example.
    Variable operator()(const Variable& x0, const Variable& x1, const Variable& t)
        requires std::invocable<Predictor&, const Variable&, const Variable&>
    {
        return called({&x0, &x1, &t}, [&] { return scored(predictor(x0, x1), t); });
    }

    Predictor predictor;
    bool compute_accuracy = true;
    /// Of the last call, as Chainer's attributes; they keep its graph, and in a static region they are results.
    bool keep_results = false;
    Variable y, loss, accuracy;

private:
    Variable scored(const Variable& y, const Variable& t) {
        const Variable loss = lossfun_(y, t);
        const Variable share = compute_accuracy ? accfun_(y, t) : Variable();
        report({{"loss", loss}}, *this);
        if (compute_accuracy) report({{"accuracy", share}}, *this);
        if (keep_results) this->y = y, this->loss = loss, this->accuracy = share;
        return loss;
    }
    static Variable cross_entropy(const Variable& y, const Variable& t) { return softmax_cross_entropy(y, t); }
    static Variable share_of_right(const Variable& y, const Variable& t) { return catena::accuracy(y, t); }
    Function lossfun_, accfun_;
};

}  // namespace catena
