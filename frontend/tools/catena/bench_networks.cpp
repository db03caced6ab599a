// The benchmark's networks: forward, loss, backward and update on inputs already in memory.
#include "frontend/catena.h"
#include "frontend/tools/catena/random_inputs.h"
#include "frontend/tools/catena/shared_region.h"
#include "frontend/tools/catena/workloads.h"

namespace catena::tool {
namespace {

/// A training iteration of `model` on one fixed batch.
template <class Model, class Loss>
Iteration train(const char* name, Variant variant, std::shared_ptr<Model> model,
                std::shared_ptr<Optimizer> optimizer, Variable x, Variable t, Loss loss) {
    auto step_with = [=](auto& call, const Variable& x, const Variable& t) {
        Variable l = loss(call(x), t);
        model->cleargrads();
        l.backward();
        optimizer->update();
        return l;
    };
    auto parameters = [model] {
        std::vector<Array> arrays;
        for (const Parameter* parameter : model->params()) arrays.push_back(parameter->array());
        return arrays;
    };
    if (variant == Variant::step || variant == Variant::trusted) {
        auto region = shared_region(
            name, variant, [=](const Variable& x, const Variable& t) { return step_with(*model, x, t); });
        return {[=] { (*region)(x, t); }, 1, parameters,
                [=](const std::string& path, const PackageOptions& options) {
                    region->save(path, options);
                    return std::vector<Array>{x.array(), t.array()};
                },
                [=] { return region->statistics(); }};
    }
    if (variant == Variant::eager) return {[=] { step_with(*model, x, t); }, 1, parameters};
    auto region = shared_region(name, variant, [model](const Variable& x) { return (*model)(x); });
    return {[=] { step_with(*region, x, t); }, 1, parameters, nullptr, [=] { return region->statistics(); }};
}

template <class O>
std::shared_ptr<Optimizer> set_up(std::shared_ptr<O> optimizer, Link& model) {
    optimizer->setup(model);
    return optimizer;
}

struct Perceptron : Chain {
    Linear l1, l2, l3;
    Perceptron(int64_t in, int64_t hidden, int64_t out)
        : l1(in, hidden), l2(hidden, hidden), l3(hidden, out) {
        add_children({{"l1", l1}, {"l2", l2}, {"l3", l3}});
    }
    Variable operator()(const Variable& x) { return l3(relu(l2(relu(l1(x))))); }
};

struct LeNet : Chain {
    Convolution2D c1{1, 6, 5, {.pad = {2, 2}}}, c2{6, 16, 5};
    Linear l1{400, 120}, l2{120, 84}, l3{84, 10};
    LeNet() { add_children({{"c1", c1}, {"c2", c2}, {"l1", l1}, {"l2", l2}, {"l3", l3}}); }
    Variable operator()(const Variable& x) {
        Variable h = max_pooling_2d(relu(c1(x)), {2});
        h = max_pooling_2d(relu(c2(h)), {2});
        return l3(relu(l2(relu(l1(h)))));
    }
};

/// A language model written step by step, as a define-by-run program writes it.
struct LanguageModel : Chain {
    EmbedID embed;
    LSTM lstm1, lstm2;
    Linear out;
    LanguageModel(int64_t words, int64_t units)
        : embed(words, units), lstm1(units, units), lstm2(units, units), out(units, words) {
        add_children({{"embed", embed}, {"lstm1", lstm1}, {"lstm2", lstm2}, {"out", out}});
    }
    /// Words [steps, batch] to scores [steps * batch, words].
    Variable operator()(const Variable& words) {
        lstm1.reset_state();
        lstm2.reset_state();
        std::vector<Variable> scores;
        for (int64_t t = 0; t < words.shape()[0]; ++t)
            scores.push_back(out(lstm2(lstm1(embed(get_item(words, {t}))))));
        return concat(scores, 0);
    }
};

const auto softmax_loss = [](const Variable& y, const Variable& t) { return softmax_cross_entropy(y, t); };

}  // namespace

Iteration prepare_mushroom(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    auto model = std::make_shared<Perceptron>(cut(22), cut(44), 1);
    const Variable x(random.uniform({cut(100), cut(22)}), false), t(random.labels(2, {cut(100), 1}), false);
    return train("mushroom", variant, model, set_up(std::make_shared<SGD>(0.01), *model), x, t,
                 [](const Variable& y, const Variable& t) { return sigmoid_cross_entropy(y, t); });
}

Iteration prepare_mlp(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    auto model = std::make_shared<Perceptron>(cut(784), cut(1000), 10);
    const Variable x(random.uniform({cut(100), cut(784)}), false), t(random.labels(10, {cut(100)}), false);
    return train("mlp", variant, model, set_up(std::make_shared<Adam>(0.001), *model), x, t, softmax_loss);
}

Iteration prepare_lenet(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    auto model = std::make_shared<LeNet>();
    const Variable x(random.uniform({cut(64), 1, 28, 28}), false), t(random.labels(10, {cut(64)}), false);
    return train("lenet", variant, model, set_up(std::make_shared<SGD>(0.01), *model), x, t, softmax_loss);
}

Iteration prepare_ptb_lstm_unrolled(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const int64_t words = cut(10000), steps = cut(35), batch = cut(20);
    auto model = std::make_shared<LanguageModel>(words, cut(650));
    const Variable x(random.labels(int32_t(words), {steps, batch}), false),
        t(random.labels(int32_t(words), {steps * batch}), false);
    auto optimizer = set_up(std::make_shared<SGD>(1.0), *model);
    optimizer->add_hook(GradientClipping(5.0));
    return train("ptb_lstm_unrolled", variant, model, optimizer, x, t, softmax_loss);
}

}  // namespace catena::tool
