#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/custom/user_function.h"

namespace catena::testing {

/// x^3 by functions.
class Cube : public UserFunction {
public:
    std::string_view name() const override { return "Cube"; }
    Variables forward(std::span<const Variable> xs) override { return {xs[0] * xs[0] * xs[0]}; }
    Variables backward(std::span<const int>, std::span<const Variable> gys) override {
        const Variable x = retained_input(0);
        return {gys[0] * x * x * 3};
    }
};

/// x * factor, and what each call was asked.
class ScaledCall : public UserFunction {
public:
    explicit ScaledCall(double factor) : factor_(factor) {}
    std::string_view name() const override { return "ScaledCall"; }
    Variables forward(std::span<const Variable> xs) override {
        retain_inputs({});
        return {xs[0] * factor_};
    }
    Variables backward(std::span<const int>, std::span<const Variable> gys) override {
        return {gys[0] * factor_};
    }

private:
    double factor_;
};

/// A function of lambdas.
class Written : public UserFunction {
public:
    using Forward = std::function<Variables(Written&, std::span<const Variable>)>;
    using Backward =
        std::function<Variables(Written&, std::span<const int>, std::span<const Variable>)>;
    Written(std::string name, Forward forward, Backward backward)
        : name_(std::move(name)), forward_(std::move(forward)), backward_(std::move(backward)) {}
    std::string_view name() const override { return name_; }
    Variables forward(std::span<const Variable> xs) override { return forward_(*this, xs); }
    Variables backward(std::span<const int> wanted, std::span<const Variable> gys) override {
        return backward_(*this, wanted, gys);
    }

private:
    std::string name_;
    Forward forward_;
    Backward backward_;
};

template <class F, class... Arguments>
Ref<UserFunction> make(Arguments&&... arguments) {
    return make_ref<F>(std::forward<Arguments>(arguments)...);
}

inline Variable called(const Ref<UserFunction>& function, const Variable& x,
                       const std::source_location& at = std::source_location::current()) {
    return call_user_function(function, {&x, 1}, at)[0];
}

inline std::vector<double> read(const Array& x) { return x.to_vector<double>(); }

/// What another language throws.
struct Foreign {
    int code;
};

inline Ref<UserFunction> throwing(bool in_forward) {
    return make<Written>(
        "Throwing",
        [=](Written&, std::span<const Variable> xs) {
            if (in_forward) throw Foreign{7};
            return Variables{xs[0] * 2.0};
        },
        [](Written&, std::span<const int>, std::span<const Variable>) -> Variables {
            throw Foreign{8};
        });
}

template <class F>
int code_of(const F& f) {
    try {
        f();
    } catch (const Foreign& thrown) {
        return thrown.code;
    }
    return 0;
}

}  // namespace catena::testing
