#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "runtime/graph/variable/variable.h"

namespace catena {

/// A batch of probability distributions: the base of those in namespace distributions. Its
/// parameters are arrays; all results are differentiable towards them. A sample's shape is the
/// sample shape, then the batch shape (one distribution each), then the event shape (that of one
/// draw). Functions of values take arrays that broadcast with such a sample and give one number for
/// each event. A function that a distribution has no closed form for throws a ValueError.
class Distribution {
public:
    virtual ~Distribution() = default;

    const Shape& batch_shape() const { return batch_shape_; }
    const Shape& event_shape() const { return event_shape_; }
    Dtype dtype() const { return dtype_; }  ///< The dtype of the parameters.
    virtual std::string name() const = 0;   ///< The class name, "Normal".
    virtual std::string support()
        const = 0;  ///< The set of possible values, in Chainer's words: "real".
    virtual std::map<std::string, Variable> params() const = 0;

    /// Independent draws of shape sample_shape + batch_shape + event_shape, by this thread's random
    /// state (set_seed). Differentiable towards the parameters where a distribution says so.
    Variable sample(const Shape& sample_shape = {}) const;
    Variable sample_n(int64_t n) const { return sample({n}); }

    virtual Variable log_prob(const Operand& x)
        const = 0;  ///< The logarithm of the density or, for integers, of the probability of x.
    virtual Variable prob(const Operand& x) const;
    /// The cumulative distribution function: the probability of a value of at most x.
    virtual Variable cdf(const Operand& x) const;
    virtual Variable icdf(const Operand& x) const;  ///< The inverse of cdf().
    virtual Variable log_cdf(const Operand& x) const;
    /// The probability 1 - cdf(x) of a value above x.
    virtual Variable survival_function(const Operand& x) const;
    virtual Variable log_survival_function(const Operand& x) const;
    virtual Variable perplexity(const Operand& x) const;  ///< The perplexity 1 / prob(x).

    virtual Variable entropy() const;
    virtual Variable mean() const;
    virtual Variable mode() const;
    virtual Variable variance() const;
    virtual Variable stddev() const;
    virtual Variable covariance() const;

protected:
    /// Gives the distribution its dtype and device, and all parameters their common shape, which is
    /// returned. DtypeError unless they are floats of one dtype, ShapeError unless they broadcast.
    Shape set_parameters(const char* name,
                         std::initializer_list<std::pair<const char*, Variable*>> parameters);
    void set_shapes(const Shape& batch, const Shape& event);
    /// Sets batch and event shape: the last `event_axes` axes of the parameters belong to the
    /// event.
    void set_batch_and_event(const Shape& shape, int event_axes);
    /// Random draws of exactly this shape. The current device is that of the parameters.
    virtual Variable draw(const Shape& shape) const = 0;
    /// x as a float: converted to the parameters' dtype if it is none, as draws may be integers.
    Variable value(const Operand& x) const;
    [[noreturn]] void undefined(const char* what) const;

private:
    Shape batch_shape_, event_shape_;
    Dtype dtype_{};
    Device* device_ = nullptr;
};

}  // namespace catena
