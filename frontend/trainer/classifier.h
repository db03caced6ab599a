#pragma once

#include <functional>
#include <string>
#include <variant>

#include "frontend/link/chain.h"
#include "frontend/trainer/batch_function.h"
#include "frontend/trainer/reporter.h"
#include "runtime/ops/evaluation/evaluation.h"
#include "runtime/ops/loss/loss.h"

namespace catena {

/// The value of a batch that holds the labels: its position, from the end if negative, or its name
/// in a dict.
using LabelKey = std::variant<int, std::string>;

/// A batch split into labels and the rest.
struct LabelledBatch {
    Batch features;  ///< All other values, in their order; a dict if the batch was one.
    /// The labels.
    Variable labels;
};
/// Splits a batch. ValueError, with the values that the batch has, when it has no such value, and
/// for a position in a dict.
LabelledBatch take_labels(const Batch& batch, const LabelKey& key);
/// Whether the key is -1, the last value.
bool labels_are_last(const LabelKey& key);
/// The key -1, the last value.
LabelKey last_value();
/// Reports "loss" and, unless `accuracy` is null, "accuracy".
void report_scores(const Link& model, const Variable& loss, const Variable* accuracy);

/// A predictor with a loss: called with x and t it gives lossfun(predictor(x), t), and reports
/// "loss" and "accuracy".
///
/// `label_key` says which value of a batch is t; the others are the predictor's arguments. Of a
/// batch that is a dict t is named
/// (`ct::Classifier model(net, loss, accuracy, "label")`); a predictor that takes a const
/// ct::Batch& then finds the others by their names, and one that takes Variables gets them in the
/// dict's order.
template <std::derived_from<Link> Predictor>
class Classifier : public Chain {
public:
    /// The type of the loss and accuracy functions, of results and labels.
    using Function = std::function<Variable(const Variable& y, const Variable& t)>;

    /// A predictor with its loss and accuracy functions.
    explicit Classifier(Predictor predictor, Function lossfun = cross_entropy,
                        Function accfun = share_of_right, LabelKey label_key = last_value())
        : predictor(std::move(predictor)),
          lossfun_(std::move(lossfun)),
          accfun_(std::move(accfun)),
          label_key_(std::move(label_key)) {
        add_children({{"predictor", this->predictor}});
    }

    /// The loss of x with the labels t; 0-d.
    Variable operator()(const Variable& x, const Variable& t) {
        if (!labels_are_last(label_key_)) return (*this)(Batch{x, t});
        return called({&x, &t}, [&] { return scored(predictor(x), t); });
    }
    /// The loss for predictors of two arrays.
    Variable operator()(const Variable& x0, const Variable& x1, const Variable& t)
        requires std::invocable<Predictor&, const Variable&, const Variable&>
    {
        if (!labels_are_last(label_key_)) return (*this)(Batch{x0, x1, t});
        return called({&x0, &x1, &t}, [&] { return scored(predictor(x0, x1), t); });
    }
    /// The loss for a batch of any number of values, as updaters and evaluators give it.
    Variable operator()(const Batch& batch)
        requires TakesBatch<Predictor>
    {
        const LabelledBatch parts = take_labels(batch, label_key_);
        return called_with([&] { return scored(predicted(parts.features), parts.labels); },
                           batch.values());
    }

    /// The link that predicts.
    Predictor predictor;
    /// Whether the accuracy is computed and reported.
    bool compute_accuracy = true;
    /// Whether the loss and accuracy of the last call stay available, as Chainer's attributes. They
    /// keep its graph alive, and in a static region they are results.
    bool keep_results = false;
    /// The results of the last call, if keep_results is set.
    Variable y, loss, accuracy;

private:
    Variable predicted(const Batch& features) {
        if constexpr (std::invocable<Predictor&, const Batch&>)
            return predictor(features);
        else
            return detail::call_on_batch<Variable>(predictor, Batch(features.values()));
    }
    Variable scored(const Variable& y, const Variable& t) {
        const Variable loss = lossfun_(y, t);
        const Variable share = compute_accuracy ? accfun_(y, t) : Variable();
        report_scores(*this, loss, compute_accuracy ? &share : nullptr);
        if (keep_results) this->y = y, this->loss = loss, this->accuracy = share;
        return loss;
    }
    static Variable cross_entropy(const Variable& y, const Variable& t) {
        return softmax_cross_entropy(y, t);
    }
    static Variable share_of_right(const Variable& y, const Variable& t) {
        return catena::accuracy(y, t);
    }
    Function lossfun_, accfun_;
    LabelKey label_key_;
};

}  // namespace catena
