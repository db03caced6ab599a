#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/link/link.h"
#include "frontend/optimizer/gradient_exchange.h"
#include "frontend/optimizer/optimizer_hook.h"
#include "frontend/optimizer/update_slot.h"
#include "runtime/graph/op/op.h"
#include "runtime/graph/walk/untrained.h"

namespace catena {

class ParameterList;
class ParameterRule;
class PartsScope;

/// Updates the parameters of a link from their gradients. Everything that changes from step to step
/// (step count, moments) is a State, and hyperparameters are Cells, so a recorded training step can
/// be replayed.
///
/// A parameter that is empty, disabled or has no gradient is skipped, as are its moments.
class Optimizer {
public:
    virtual ~Optimizer();
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    /// Restarts with the parameters of `link`, which must outlive their use here; hooks are
    /// removed. ValueError when it has none, or a member that is not listed. A link that is moved
    /// is followed, and its members may be assigned others; update() is a ValueError once one of
    /// its parameters has become another one.
    Optimizer& setup(Link& link);
    template <std::derived_from<Link> L>
        requires(!std::same_as<L, Link>)
    Optimizer& setup(L& link) {
        link.know_size(sizeof(L));
        return setup(static_cast<Link&>(link));
    }
    /// Restarts with parameters that belong to no link, given with their paths. They are shared,
    /// may have no shape yet, and keep their own names. ValueError for an empty list, and for a
    /// path that occurs twice. target() is then a ParameterList (frontend/link/parameter_list.h).
    Optimizer& setup(std::span<const NamedParameter> params);
    Optimizer& setup(std::initializer_list<NamedParameter> params) {
        return setup(std::span(params.begin(), params.size()));
    }
    /// Adds parameters after setup() with a list; nothing else restarts. Existing ParameterRules
    /// become invalid.
    Optimizer& add_params(std::span<const NamedParameter> params);
    Optimizer& add_params(std::initializer_list<NamedParameter> params) {
        return add_params(std::span(params.begin(), params.size()));
    }
    /// The link that is optimized; ValueError before setup, and when the link is gone.
    Link& target() const;

    /// Does one update with the present gradients.
    void update(const std::source_location& at = std::source_location::current());
    /// PyTorch's name of update() with the present gradients.
    void step(const std::source_location& at = std::source_location::current()) { update(at); }
    /// Drops the gradients of all parameters of the target, under PyTorch's name.
    void zero_grad();
    /// Does one step: forward, clear the gradients, backward, update: `optimizer.update(lossfun, x,
    /// t)`.
    template <class LossFunction, class... Args>
        requires std::invocable<LossFunction, Args...>
    void update(LossFunction&& lossfun, Args&&... args) {
        Variable loss = lossfun(std::forward<Args>(args)...);
        start_backward(std::move(loss));
        update(std::source_location());
    }

    /// loss.backward() with the loss scale, as in update(lossfun). With several processes,
    /// gradients are sent while it runs.
    void backward(const Variable& loss);
    /// Runs backward for one of several losses, of copies of the model, whose gradients are added
    /// up before update().
    void backward_part(const Variable& loss);
    /// Sets the exchange of gradients between processes; null: a single process.
    void set_exchange(std::shared_ptr<GradientExchange> exchange);
    /// The exchange of gradients between processes; null: a single process.
    const std::shared_ptr<GradientExchange>& exchange() const { return exchange_; }

    /// Number of updates so far.
    int64_t t() const;
    /// The number of updates as a state, int64, 0-d; compiled steps update it.
    const State& step_count() const { return t_; }
    /// Number of epochs that new_epoch() has counted.
    int64_t epoch() const { return epoch_; }
    /// Counts an epoch. Updaters set `use_auto_new_epoch` and pass true. ValueError when they and
    /// the user both count.
    void new_epoch(bool automatic = false);
    /// Whether an updater counts epochs: it then calls new_epoch(true).
    bool use_auto_new_epoch = false;
    /// Sets the number of epochs.
    void set_epoch(int64_t epoch) { epoch_ = epoch; }
    /// Sets whether update(lossfun) clears gradients; false: it fills them with zeros.
    void use_cleargrads(bool use = true);
    /// Gives zeros to initialised parameters that have no gradient: update() then changes them as
    /// Chainer does, by moments and decay. Without it they are left alone.
    void reallocate_cleared_grads();
    /// Updates parameters of 16 bits through float32 masters (frontend/optimizer/masters.h): their
    /// gradients, moments and hooks are float32, and an update smaller than half a 16-bit step is
    /// not lost. Call it before or after setup(), but before loading.
    void use_fp32_update(bool use = true);

    /// Gradients are divided by `scale` before any hook. update(lossfun)
    /// starts backward with it; otherwise call loss.backward({.loss_scale =
    /// optimizer.loss_scale()}).
    void set_loss_scale(double scale);
    /// The number by which the loss is multiplied before backward.
    double loss_scale() const { return loss_scale_; }

    /// Adds a hook. ValueError when the name is taken or setup() has not been called.
    Optimizer& add_hook(std::shared_ptr<OptimizerHook> hook, std::string name = "");
    template <std::derived_from<OptimizerHook> Hook>
    Optimizer& add_hook(const Hook& hook, std::string name = "") {
        return add_hook(std::make_shared<Hook>(hook), std::move(name));
    }
    Optimizer& add_hook(std::string name, std::function<void(Optimizer&)> hook,
                        OptimizerHook::Timing timing = OptimizerHook::Timing::pre);
    /// Removes the hook of that name; ValueError when there is none.
    void remove_hook(const std::string& name);
    /// Calls all hooks of a timing, in the order of their registration; update() does it itself.
    void call_hooks(OptimizerHook::Timing timing);
    /// Calls one hook.
    void call_hook(OptimizerHook& hook) { hook(*this); }

    /// The rule by which one parameter is updated: its own hyperparameters and hooks
    /// (frontend/optimizer/parameter_rule.h). ValueError when it is not one of the target's
    /// parameters.
    ParameterRule update_rule(const Parameter& param);
    /// The optimizer by whose formula a parameter is updated: this one, unless ParameterRule::use()
    /// gave it another.
    Optimizer& rule_of(const UpdateSlot& slot) { return slot.rule ? *slot.rule : *this; }
    /// Sets the optimizer of a slot; see ParameterRule::use().
    void set_rule(UpdateSlot& slot, std::shared_ptr<Optimizer> rule);
    /// What the optimizer holds for each parameter, in the order of the target's parameters.
    std::span<UpdateSlot> slots();
    /// The parameters that this update changes.
    std::vector<UpdateSlot*> active_slots();
    /// The parameters that this update changes, written into a list whose memory is reused.
    void find_active_slots(std::vector<UpdateSlot*>& active);

    /// Names of the states (moments) that the rule has for each parameter, "m", "v".
    virtual std::vector<std::string> moment_names() const;
    /// Whether the rule changes each element of a parameter by that element's gradient and moments
    /// alone, so that it can be given a part of the parameter (parts.h).
    virtual bool is_elementwise() const { return false; }
    /// Saves or loads step count, epoch and moments, "t", "epoch", "l1/W/t", "l1/W/m", and the data
    /// of the exchange of gradients. The "t" of a parameter that was never updated, so that it has
    /// no moments, is 0. Moments of which each rank has a part are saved whole: all ranks call it
    /// together, unless gather_moments() (gather_moments.h) was called before.
    void serialize(const Serializer& s);
    /// Creates missing moments.
    void initialize_moments(UpdateSlot& slot);
    /// Sets the step count, not recorded.
    void set_step_count(int64_t t);
    /// The name of the class, "Adam".
    virtual std::string type_name() const = 0;

    /// The rule's hyperparameters by name, "alpha", "lr"; setting one affects the next update, a
    /// compiled one too.
    virtual std::vector<Cell> hyperparameters() const;
    /// The hyperparameter of that name; ValueError that lists the existing names.
    Cell hyperparameter(std::string_view name) const;
    /// The present step size: the hyperparameter lr, unless a rule says otherwise.
    virtual double learning_rate() const { return hyperparameter("lr"); }

protected:
    Optimizer();
    /// Changes the parameters of a group; usually by one sweep
    /// (frontend/optimizer/rules/update_rule.h).
    virtual void update_group(const UpdateGroup& group) = 0;
    /// The content of a moment before its first update; zeros unless a rule says otherwise.
    virtual Array first_moment(const std::string& name, const Type& type) const;
    /// The contents of all moments of one parameter before its first update, in the order of
    /// moment_names(). A rule overrides it whose moments begin with what the parameter holds, or
    /// have a shape of their own.
    virtual std::vector<Array> first_moments(const UpdateSlot& slot) const;
    /// Whether moments have the shapes of their parameters.
    virtual bool has_moments_like_parameters() const { return true; }
    /// Called by setup(): stores those hyperparameters whose initial values the rule needs later.
    virtual void begin() {}

private:
    void restart(Link& link);
    void add_slots(std::span<const std::pair<std::string, Parameter*>> params);
    void begin_training();
    void start_backward(Variable loss);
    void call_parameter_hooks(OptimizerHook::Timing timing);
    void update_groups(std::span<UpdateSlot* const> active);
    void save_slot(const Serializer& s, const UpdateSlot& slot, int64_t t);
    bool load_moments(const Serializer& s, UpdateSlot& slot);
    bool may_lack_moments(const Serializer& s, const UpdateSlot& slot,
                          std::span<const std::string> names) const;
    void unscale_gradients();

    void check_slots();
    void say_what_is_not_updated(std::span<UpdateSlot* const> active);

    std::shared_ptr<ParameterList> list_;  ///< The target if setup() was called with a list.
    std::shared_ptr<Link*> target_;        ///< The place of the target, see Link::place().
    uint64_t checked_at_ = 0;  ///< Part::changes() when slots and target were last compared.
    std::vector<UpdateSlot> slots_;
    State t_;
    /// Notes unreached parameters between setup() and the first update.
    std::optional<AwaitingUpdate> first_update_;
    int64_t epoch_ = 0;
    bool use_cleargrads_ = true;
    bool scaled_ = false;
    bool use_fp32_ = false;
    Cell loss_scale_{1.0, "loss_scale"};
    std::shared_ptr<GradientExchange> exchange_;
    /// The parts of the update that runs; null: none does.
    PartsScope* parts_ = nullptr;
    std::vector<std::pair<std::string, std::shared_ptr<OptimizerHook>>> hooks_;
};

}  // namespace catena
