// The benchmark's small networks: forward, loss, backward and update on inputs already in memory.
#include "benchmarks/models/lenet.h"
#include "benchmarks/models/perceptron.h"
#include "benchmarks/workloads/training.h"
#include "benchmarks/workloads/prepare.h"
#include "tools/catena/random_inputs.h"

namespace catena::tool {

Iteration prepare_mushroom(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    auto model = std::make_shared<models::Perceptron>(cut(22), cut(44), 1);
    const Variable x(random.uniform({cut(100), cut(22)}), false),
        t(random.labels(2, {cut(100), 1}), false);
    return train("mushroom", variant, model, std::make_shared<SGD>(0.01), {{x, t}},
                 [](const Variable& y, const Variable& t) { return sigmoid_cross_entropy(y, t); });
}

Iteration prepare_mlp(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    auto model = std::make_shared<models::Perceptron>(cut(784), cut(1000), 10);
    const Variable x(random.uniform({cut(100), cut(784)}), false),
        t(random.labels(10, {cut(100)}), false);
    return train("mlp", variant, model, std::make_shared<Adam>(0.001), {{x, t}}, scores_loss);
}

Iteration prepare_lenet(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    auto model = std::make_shared<models::LeNet>();
    const Variable x(random.uniform({cut(64), 1, 28, 28}), false),
        t(random.labels(10, {cut(64)}), false);
    return train("lenet", variant, model, std::make_shared<SGD>(0.01), {{x, t}}, scores_loss);
}

}  // namespace catena::tool
