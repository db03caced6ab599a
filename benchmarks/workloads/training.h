#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/workloads/shared_region.h"
#include "benchmarks/workloads/workload.h"
#include "frontend/catena.h"

namespace catena::tool {

struct Batch {
    Variable x, t;
};

/// What all calls of one iteration's closures share.
struct TrainingState {
    std::vector<Batch> batches;  ///< Taken in turn.
    size_t next = 0;
    Batch last;
    Array loss;  ///< Of the last iteration; not the variable, whose graph would live on.
    const Batch& take() {
        last = batches[next];
        next = (next + 1) % batches.size();
        return last;
    }
};

/// The present parameters of some models.
inline std::vector<Array> parameters_of(std::initializer_list<const Link*> models) {
    std::vector<Array> arrays;
    for (const Link* model : models)
        for (const Parameter* parameter : model->params()) arrays.push_back(parameter->array());
    return arrays;
}

inline const auto scores_loss = [](const Variable& y, const Variable& t) {
    return softmax_cross_entropy(y, t);
};
using Hooks = std::vector<std::shared_ptr<OptimizerHook>>;

/// A training iteration of `model` on the batches in turn: forward, loss, backward and update.
template <class Model, class Loss>
Iteration train(const char* name, Variant variant, std::shared_ptr<Model> model,
                std::shared_ptr<Optimizer> optimizer, std::vector<Batch> batches, Loss loss,
                const Hooks& hooks = {}) {
    optimizer->setup(*model);
    for (const auto& hook : hooks) optimizer->add_hook(hook);
    auto state = std::make_shared<TrainingState>();
    state->batches = std::move(batches);
    auto step_with = [=](auto& call, const Variable& x, const Variable& t) {
        Variable l = loss(call(x), t);
        model->cleargrads();
        l.backward();
        optimizer->update();
        return l;
    };
    Iteration iteration;
    iteration.results = [model] { return parameters_of({model.get()}); };
    iteration.loss = [state] { return state->loss; };
    iteration.cycle = int(state->batches.size());
    const auto use = [&](auto step, auto region) {
        iteration.run = [=] {
            const Batch& batch = state->take();
            state->loss = step(batch.x, batch.t).array();
        };
        if constexpr (!std::is_null_pointer_v<decltype(region)>) {
            iteration.statistics = [region] { return region->statistics(); };
            iteration.profile = [region] { return region->profile(); };
        }
    };
    if (variant == Variant::eager) {
        use([=](const Variable& x, const Variable& t) { return step_with(*model, x, t); }, nullptr);
    } else if (variant == Variant::compiled) {
        auto region =
            shared_region(name, variant, [model](const Variable& x) { return (*model)(x); });
        use([=](const Variable& x, const Variable& t) { return step_with(*region, x, t); }, region);
    } else {
        auto region = shared_region(name, variant, [=](const Variable& x, const Variable& t) {
            return step_with(*model, x, t);
        });
        use([=](const Variable& x, const Variable& t) { return (*region)(x, t); }, region);
        iteration.save = [=](const std::string& path, const PackageOptions& options) {
            region->save(path, options);
            return std::vector<Array>{state->last.x.array(), state->last.t.array()};
        };
    }
    return iteration;
}

}  // namespace catena::tool
