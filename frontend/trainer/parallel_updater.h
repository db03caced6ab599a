#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/dataset/concat_examples.h"
#include "frontend/link/link.h"
#include "frontend/trainer/batch_function.h"
#include "frontend/trainer/updater.h"

namespace catena {

/// Options of a ParallelUpdater.
struct ParallelUpdaterOptions {
    /// Names and devices of the model and its copies; "main" must be among them (ValueError). Null:
    /// the device that the model is on.
    std::vector<std::pair<std::string, Device*>> devices = {};
    Converter converter = {};  ///< The function that makes batches; concat_examples by default.
    double loss_scale = 0;     ///< The loss scale, see Optimizer::set_loss_scale; 0: none.
    /// Whether new_epoch() of the optimizer is called when the iterator begins an epoch.
    bool auto_new_epoch = true;
};

namespace detail {

/// A loss function with the copy of the model that it computes on.
template <class Loss, class Model>
struct LossOfModel {
    std::shared_ptr<Loss> loss;
    Model* model;
    template <class... Values>
        requires std::invocable<Loss&, Model&, const Values&...>
    Variable operator()(const Values&... values) {
        return (*loss)(*model, values...);
    }
};

}  // namespace detail

/// Updates one model by several devices in one process, as Chainer's: copies of the model take the
/// examples i, i + n, i + 2n, ... of every mini-batch, the gradients are added up in the main model
/// (summed, not averaged), which is then updated. The copies report under their names. For several
/// processes see create_multi_node_optimizer.
class ParallelUpdater : public Updater {
public:
    /// `model` is the optimizer's target, a function of the batch that returns the loss.
    template <std::derived_from<Link> Model>
        requires TakesBatch<Model>
    ParallelUpdater(Iterator& iterator, Optimizer& optimizer, Model& model,
                    ParallelUpdaterOptions options)
        : ParallelUpdater(iterator, optimizer, std::move(options)) {
        for (Replica& replica : replicas_)
            replica.loss = batch_function<Variable>(copy_for(replica, model));
        place_models();
    }

    /// An updater with a loss function that is told on which copy of the model to compute:
    /// loss(model, x, t).
    template <std::derived_from<Link> Model, class Loss>
        requires TakesBatch<detail::LossOfModel<Loss, Model>>
    ParallelUpdater(Iterator& iterator, Optimizer& optimizer, Model& model, Loss loss,
                    ParallelUpdaterOptions options)
        : ParallelUpdater(iterator, optimizer, std::move(options)) {
        const auto shared = std::make_shared<Loss>(std::move(loss));
        for (Replica& replica : replicas_)
            replica.loss = batch_function<Variable>(
                detail::LossOfModel<Loss, Model>{shared, &copy_for(replica, model)});
        place_models();
    }

    /// An updater with copies of one's own, named as in `options.devices` without "main"
    /// (ValueError); they must outlive the updater. Parameters are copied to them from `model`
    /// before every use.
    template <std::derived_from<Link> Model>
        requires TakesBatch<Model>
    ParallelUpdater(Iterator& iterator, Optimizer& optimizer, Model& model,
                    const std::vector<std::pair<std::string, Model*>>& copies,
                    ParallelUpdaterOptions options)
        : ParallelUpdater(iterator, optimizer, std::move(options)) {
        set_model("main", model);
        for (const auto& [name, copy] : copies) set_model(name, *copy);
        place_models();
    }

    void connect_trainer(Trainer& trainer) override;
    void finalize() override;
    void serialize(const Serializer& s) override;
    std::vector<std::pair<std::string, Optimizer*>> optimizers() const override;
    Iterator& get_iterator(const std::string& name = "main") const override;
    /// The copy of that name; ValueError when there is none.
    Link& model(const std::string& name) const;

protected:
    void update_core() override;

private:
    struct Replica {
        std::string name;
        Device* device;
        std::shared_ptr<Link> model;
        std::function<Variable(const Batch&)> loss;
    };
    ParallelUpdater(Iterator& iterator, Optimizer& optimizer, ParallelUpdaterOptions options);
    template <class Model>
    static Model& copy_for(Replica& replica, Model& model) {
        auto copy = replica.name == "main" ? std::shared_ptr<Model>(&model, [](Model*) {})
                                           : std::make_shared<Model>(model);
        replica.model = copy;
        return *copy;
    }
    template <class Model>
    void set_model(const std::string& name, Model& model) {
        Replica& replica = vacant_replica(name);
        replica.model = std::shared_ptr<Model>(&model, [](Model*) {});
        replica.loss = batch_function<Variable>(model);
    }
    /// The device of that name; ValueError unless it is one of the devices that have no model yet.
    Replica& vacant_replica(const std::string& name);
    void place_models();
    Batch convert(std::span<const Example> examples, Device* device) const;
    Iterator& iterator_;
    Optimizer& optimizer_;
    ParallelUpdaterOptions options_;
    std::vector<Replica> replicas_;  ///< The model ("main") and then its copies.
};

}  // namespace catena
