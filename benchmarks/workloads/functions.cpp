// The benchmark's functions: forward and backward, no parameters. `compiled` is a region of the
// forward call, differentiated by backward() outside; `step` and `trusted` are one region that
// returns the gradients.
#include "frontend/catena.h"
#include "tools/catena/random_inputs.h"
#include "benchmarks/workloads/shared_region.h"
#include "benchmarks/workloads/prepare.h"

namespace catena::tool {
namespace {

using VariableList = std::vector<Variable>;

/// An iteration of y = f(xs) and its gradients at gy; without gy, y is a scalar.
template <class F>
Iteration differentiate(const char* name, Variant variant, F f, VariableList xs, Variable gy) {
    if (variant == Variant::step || variant == Variant::trusted) {
        auto region = shared_region(name, variant, [f, gy](VariableList xs) {
            const Variable y = f(xs);
            const VariableList starts = gy.defined() ? VariableList{gy} : VariableList{};
            Variables gxs = grad(VariableList{y}, xs, starts);
            return VariableList(gxs.begin(), gxs.end());
        });
        auto last = std::make_shared<VariableList>();
        return {[=] {
                    last->clear();  // As the other variants do: the last gradients are not kept
                                    // while new ones are made.
                    *last = (*region)(xs);
                },
                1,
                [=] { return arrays_of(*last); },
                [=](const std::string& path, const PackageOptions& options) {
                    region->save(path, options);
                    return arrays_of(xs);
                },
                [=] { return region->statistics(); },
                [=] { return region->profile(); }};
    }
    auto finish = [xs, gy](const Variable& y) {
        if (gy.defined()) y.set_grad(gy.array());
        y.backward();
    };
    auto gradients = [xs] {
        VariableList found;
        for (const Variable& x : xs) found.push_back(x.grad_variable());
        return arrays_of(found);
    };
    auto clear = [xs] {
        for (const Variable& x : xs) x.cleargrad();
    };
    if (variant == Variant::eager)
        return {[=] {
                    clear();
                    finish(f(xs));
                },
                1, gradients};
    auto region = shared_region(name, variant, f);
    return {[=] {
                clear();
                finish((*region)(xs));
            },
            1,
            gradients,
            nullptr,
            [=] { return region->statistics(); },
            [=] { return region->profile(); }};
}

}  // namespace

Iteration prepare_gelu_chain(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const Shape shape{cut(4 << 20)};
    VariableList xs;
    for (int i = 0; i < 4; ++i) xs.emplace_back(random.uniform(shape));
    const Variable y0(random.uniform(shape), false), gy(random.uniform(shape), false);
    auto f = [y0](const VariableList& v) {
        const auto &x = v[0], &a = v[1], &b = v[2], &c = v[3];
        return gelu(x * a + b, "tanh") * sigmoid(x) + tanh(y0) * c;
    };
    return differentiate("gelu_chain", variant, f, xs, gy);
}

Iteration prepare_layer_norm(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const Shape shape{cut(4096), cut(1024)};
    const VariableList xs = {Variable(random.uniform(shape)), Variable(random.uniform({shape[1]})),
                             Variable(random.uniform({shape[1]}))};
    const Variable gy(random.uniform(shape), false);
    auto f = [](const VariableList& v) { return layer_normalization(v[0], v[1], v[2]); };
    return differentiate("layer_norm", variant, f, xs, gy);
}

Iteration prepare_softmax_xent(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const VariableList xs = {Variable(random.uniform({cut(2048), cut(10000)}))};
    const Variable t(random.labels(int32_t(cut(10000)), {cut(2048)}), false);
    auto f = [t](const VariableList& v) { return softmax_cross_entropy(v[0], t); };
    return differentiate("softmax_xent", variant, f, xs, Variable());
}

Iteration prepare_small_ops(Variant variant, int64_t) {
    RandomInputs random;
    const VariableList xs = {Variable(random.uniform({16})), Variable(random.uniform({16}))};
    auto f = [](const VariableList& v) {
        Variable h = v[0];
        for (int i = 0; i < 100; ++i) h = (h + v[1]) * v[1];
        return sum(h);
    };
    return differentiate("small_ops", variant, f, xs, Variable());
}

Iteration prepare_one_op(Variant variant, int64_t) {
    RandomInputs random;
    const Variable x(random.uniform({1})), y(random.uniform({1}));
    constexpr int repeats = 1000;  // one call is shorter than reading the clock
    if (variant == Variant::eager)
        return {[=] {
                    for (int i = 0; i < repeats; ++i) Variable z = x + y;
                },
                repeats};
    auto region = shared_region("one_op", variant,
                                [](const Variable& x, const Variable& y) { return x + y; });
    return {[=] {
                for (int i = 0; i < repeats; ++i) Variable z = (*region)(x, y);
            },
            repeats,
            nullptr,
            nullptr,
            [=] { return region->statistics(); },
            [=] { return region->profile(); }};
}

}  // namespace catena::tool
