#include "frontend/testing/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/graph/settings/config.h"
#include "runtime/graph/walk/gradient.h"

namespace catena {
namespace {

double dot(const Array& a, const Array& b) {
    const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

/// x + step * direction.
Array moved(const Array& x, const std::vector<double>& direction, double step) {
    std::vector<double> values = x.to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i) values[i] += step * direction[i];
    return Array::from(values, x.shape()).astype(x.dtype());
}

/// sum of results times gys; none is ones.
double weighted_sum(const Variables& ys, const std::vector<Array>& gys) {
    double sum = 0;
    for (size_t i = 0; i < ys.size(); ++i) {
        if (!is_float(ys[i].dtype())) continue;
        const bool given = i < gys.size() && gys[i].defined();
        sum += dot(ys[i].array(), given ? gys[i] : Array::full(ys[i].type(), 1));
    }
    return sum;
}

std::vector<Variable> as_variables(const std::vector<Array>& xs, bool requires_grad) {
    std::vector<Variable> variables;
    for (const Array& x : xs) variables.emplace_back(x, requires_grad);
    return variables;
}

/// What is differentiated at one point: xs, then params.
class Point {
public:
    Point(TestedFunction f, std::vector<Array> xs, const GradientCheck& options)
        : f_(std::move(f)), xs_(std::move(xs)), options_(options) {
        if (options.dtype)
            for (Array& x : xs_)
                if (is_float(x.dtype())) x = x.astype(*options.dtype);
        for (size_t i = 0; i < xs_.size(); ++i)
            if (is_float(xs_[i].dtype()) &&
                std::find(options.no_grads.begin(), options.no_grads.end(), i) ==
                    options.no_grads.end())
                checked_.push_back(i);
    }

    size_t count() const { return checked_.size() + options_.params.size(); }
    std::string name(size_t k) const {
        return k < checked_.size() ? fmt::format("input {}", checked_[k])
                                   : fmt::format("parameter {}", k - checked_.size());
    }
    Array value(size_t k) const {
        return k < checked_.size() ? xs_[checked_[k]]
                                   : options_.params[k - checked_.size()].array();
    }
    void set(size_t k, const Array& value) {
        if (k < checked_.size())
            xs_[checked_[k]] = value;
        else
            options_.params[k - checked_.size()].set_array(value);
    }
    Variables results() const {
        const auto mode = no_backprop_mode();
        return f_(as_variables(xs_, false));
    }

    /// The gradients of count() leaves.
    Variables gradients(const std::vector<Array>& gys, bool with_graph,
                        std::vector<Variable>& leaves) const {
        const std::vector<Variable> xs = as_variables(xs_, true);
        leaves.clear();
        for (size_t i : checked_) leaves.push_back(xs[i]);
        leaves.insert(leaves.end(), options_.params.begin(), options_.params.end());
        std::vector<Variable> ys, starts;
        const Variables all = f_(xs);
        for (size_t i = 0; i < all.size(); ++i) {
            if (!all[i].requires_grad()) continue;
            const bool given = i < gys.size() && gys[i].defined();
            if (given && gys[i].shape() != all[i].shape())
                fail<CheckError>("check_backward: y_grad {} is {}, result {} is {}", i,
                                 to_string(gys[i].type()), i, to_string(all[i].type()));
            ys.push_back(all[i]);
            starts.emplace_back(
                given ? gys[i].astype(all[i].dtype()) : Array::full(all[i].type(), 1), with_graph);
        }
        if (ys.empty())
            fail<CheckError>("check_backward: no result of the function requires a gradient");
        const Variables gx = grad(ys, leaves, starts, {.enable_double_backprop = with_graph});
        if (with_graph) leaves.insert(leaves.end(), starts.begin(), starts.end());
        return gx;
    }

    /// The slope of `of` along a direction of leaf k.
    template <class F>
    double slope(size_t k, const std::vector<double>& direction, F&& of) {
        const Array origin = value(k);
        set(k, moved(origin, direction, options_.eps));
        const double after = of();
        set(k, moved(origin, direction, -options_.eps));
        const double before = of();
        set(k, origin);
        return (after - before) / (2 * options_.eps);
    }

private:
    TestedFunction f_;
    std::vector<Array> xs_;
    GradientCheck options_;
    std::vector<size_t> checked_;
};

/// A random direction of length 1, so that eps means the same for arrays of any size; the same in
/// every run.
std::vector<double> random_direction(std::mt19937& random, int64_t size) {
    std::normal_distribution<double> normal;
    std::vector<double> direction(static_cast<size_t>(size));
    double square = 0;
    for (double& d : direction) {
        d = normal(random);
        square += d * d;
    }
    for (double& d : direction) d /= std::sqrt(std::max(square, 1e-300));
    return direction;
}

void compare(const char* check, const std::string& leaf, double analytic, double numeric,
             double atol, double rtol) {
    if (std::abs(analytic - numeric) <= atol + rtol * std::abs(numeric)) return;
    fail<CheckError>(
        "{}: the gradient of {} is {} along a random direction, the slope of the function {} "
        "(tolerance {} + {} |slope|)",
        check, leaf, analytic, numeric, atol, rtol);
}

Array or_zeros(const Variable& g, const Array& like) {
    return g.defined() ? g.array() : Array::zeros(like.type());
}

}  // namespace

std::vector<Array> numerical_grad(const TestedFunction& f, const std::vector<Array>& xs,
                                  const std::vector<Array>& grad_outputs, double eps) {
    Point point(f, xs, {.eps = eps});
    std::vector<Array> result(xs.size());
    size_t next = 0;
    for (size_t i = 0; i < xs.size(); ++i) {
        if (!is_float(xs[i].dtype())) continue;
        std::vector<double> values(size_t(xs[i].size())), unit(values.size(), 0);
        for (size_t k = 0; k < values.size(); ++k) {
            unit[k] = 1;
            values[k] = point.slope(next, unit,
                                    [&] { return weighted_sum(point.results(), grad_outputs); });
            unit[k] = 0;
        }
        result[i] = Array::from(values, xs[i].shape()).astype(xs[i].dtype());
        ++next;
    }
    return result;
}

void check_backward(const TestedFunction& f, const std::vector<Array>& xs,
                    const std::vector<Array>& y_grads, const GradientCheck& options,
                    const std::source_location& at) {
    const LocationScope scope(at);
    Point point(f, xs, options);
    std::vector<Variable> leaves;
    const Variables gx = point.gradients(y_grads, false, leaves);
    std::mt19937 random(1);
    for (size_t k = 0; k < point.count(); ++k) {
        if (!gx[k].defined())
            fail<CheckError>(
                "check_backward: no gradient flows to {}; list it in no_grads if that is right",
                point.name(k));
        for (int d = 0; d < options.directions; ++d) {
            const Array origin = point.value(k);
            const std::vector<double> direction = random_direction(random, origin.size());
            const double numeric =
                point.slope(k, direction, [&] { return weighted_sum(point.results(), y_grads); });
            const double analytic = dot(gx[k].array(), Array::from(direction, origin.shape()));
            compare("check_backward", point.name(k), analytic, numeric, options.atol, options.rtol);
        }
    }
}

void check_double_backward(const TestedFunction& f, const std::vector<Array>& xs,
                           const std::vector<Array>& y_grads,
                           const std::vector<Array>& x_grad_grads, const GradientCheck& options,
                           const std::source_location& at) {
    const LocationScope scope(at);
    const double atol = std::max(options.atol, 1e-4), rtol = std::max(options.rtol, 1e-3);
    Point point(f, xs, options);
    const auto weight = [&](size_t k) {
        const bool given = k < x_grad_grads.size() && x_grad_grads[k].defined();
        return given ? x_grad_grads[k].astype(point.value(k).dtype())
                     : Array::full(point.value(k).type(), 1);
    };
    std::vector<Variable> leaves, firsts, weights;
    const Variables gx = point.gradients(y_grads, true, leaves);
    for (size_t k = 0; k < point.count(); ++k)
        if (gx[k].defined() && gx[k].requires_grad()) {
            firsts.push_back(gx[k]);
            weights.emplace_back(weight(k), false);
        }
    if (firsts.empty())
        fail<CheckError>(
            "check_double_backward: no gradient of the function can be differentiated");
    const Variables second = grad(firsts, leaves, weights);
    const auto value = [&] {
        std::vector<Variable> unused;
        const Variables g = point.gradients(y_grads, false, unused);
        double sum = 0;
        for (size_t k = 0; k < point.count(); ++k)
            if (g[k].defined()) sum += dot(g[k].array(), weight(k));
        return sum;
    };
    std::mt19937 random(2);
    for (size_t k = 0; k < point.count(); ++k)
        for (int d = 0; d < options.directions; ++d) {
            const Array origin = point.value(k);
            const std::vector<double> direction = random_direction(random, origin.size());
            const double numeric = point.slope(k, direction, value);
            const double analytic =
                dot(or_zeros(second[k], origin), Array::from(direction, origin.shape()));
            compare("check_double_backward", point.name(k), analytic, numeric, atol, rtol);
        }
}

}  // namespace catena
