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
#include "frontend/optimizer/update_slot.h"
#include "runtime/graph/op.h"
#include "runtime/graph/untrained.h"

namespace catena {

class Optimizer;
class ParameterList;
class ParameterRule;

/// Called at every update, before (pre) or after it (post), to change gradients or parameters.
class OptimizerHook {
public:
    enum class Timing { pre, post };
    virtual ~OptimizerHook() = default;
    virtual std::string name() const = 0;
    virtual Timing timing() const { return Timing::pre; }
    /// The parameters of this update are optimizer.active_slots().
    virtual void operator()(Optimizer& optimizer) = 0;
};

/// Combines the gradients of several processes before they are used; see
/// frontend/parallel/multi_node_optimizer.h.
class GradientExchange {
public:
    virtual ~GradientExchange() = default;
    /// Runs loss.backward(options); may begin to send gradients while it runs.
    virtual void backward(Optimizer& optimizer, const Variable& loss,
                          const BackwardOptions& options) = 0;
    /// The same for one of several losses whose gradients are added up before update(): sends none
    /// while it runs.
    virtual void backward_part(const Variable& loss, const BackwardOptions& options) {
        loss.backward(options);
    }
    /// What became of the gradients of the last backward. Only after `replaced` may the update
    /// change the parameters.
    enum class Outcome {
        replaced,  ///< The slots have the gradients to update with.
        kept,      ///< The next update will use them.
        dropped,   ///< No update will use them.
    };
    /// Called first by update().
    virtual Outcome finish(Optimizer& optimizer) = 0;
    /// Whether an update uses the gradients of the backward before the last.
    virtual bool is_behind() const { return false; }
    /// Called by setup(): nothing remembered belongs to the parameters to come.
    virtual void restart() {}
    /// What it remembers from one update to the next; a part of the optimizer's file.
    virtual void serialize(const Serializer&) {}
};

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
    /// The same with parameters that belong to no link, by their paths; they are shared, may have
    /// no shape yet, and keep their own names. ValueError for none, and for a path that comes
    /// twice. target() is then a ParameterList (frontend/link/parameter_list.h).
    Optimizer& setup(std::span<const NamedParameter> params);
    Optimizer& setup(std::initializer_list<NamedParameter> params) {
        return setup(std::span(params.begin(), params.size()));
    }
    /// Further ones, after setup() with a list: nothing else begins anew. ParameterRules of before
    /// are not valid any more.
    Optimizer& add_params(std::span<const NamedParameter> params);
    Optimizer& add_params(std::initializer_list<NamedParameter> params) {
        return add_params(std::span(params.begin(), params.size()));
    }
    Link& target() const;  ///< ValueError before setup, and when the link is gone.

    /// One step with the present gradients.
    void update(const std::source_location& at = std::source_location::current());
    /// Forward, clear the gradients, backward, update: `optimizer.update(lossfun, x, t)`.
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
    /// The same for one of several losses, of copies of the model, whose gradients are added up
    /// before update().
    void backward_part(const Variable& loss);
    /// Null: a single process.
    void set_exchange(std::shared_ptr<GradientExchange> exchange);
    const std::shared_ptr<GradientExchange>& exchange() const { return exchange_; }

    int64_t t() const;                              ///< Updates so far.
    const State& step_count() const { return t_; }  ///< int64, 0-d; updated by compiled steps.
    int64_t epoch() const { return epoch_; }
    /// Updaters set `use_auto_new_epoch` and pass true. ValueError when they and the user both
    /// count.
    void new_epoch(bool automatic = false);
    bool use_auto_new_epoch = false;
    void set_epoch(int64_t epoch) { epoch_ = epoch; }
    /// False: update(lossfun) fills gradients with zeros instead of clearing them.
    void use_cleargrads(bool use = true);
    /// Gives zeros to initialised parameters that have no gradient: update() then changes them as
    /// Chainer does, by moments and decay. Without it they are left alone.
    void reallocate_cleared_grads();
    /// Parameters of 16 bits are updated through float32 masters (frontend/optimizer/masters.h):
    /// their gradients, moments and hooks are float32, and an update smaller than half a 16-bit
    /// step is not lost. Before or after setup(); before loading.
    void use_fp32_update(bool use = true);

    /// Gradients are divided by `scale` before any hook. update(lossfun)
    /// starts backward with it; otherwise call loss.backward({.loss_scale =
    /// optimizer.loss_scale()}).
    void set_loss_scale(double scale);
    double loss_scale() const { return loss_scale_; }

    /// ValueError when the name is taken or setup() has not been called.
    Optimizer& add_hook(std::shared_ptr<OptimizerHook> hook, std::string name = "");
    template <std::derived_from<OptimizerHook> Hook>
    Optimizer& add_hook(const Hook& hook, std::string name = "") {
        return add_hook(std::make_shared<Hook>(hook), std::move(name));
    }
    Optimizer& add_hook(std::string name, std::function<void(Optimizer&)> hook,
                        OptimizerHook::Timing timing = OptimizerHook::Timing::pre);
    void remove_hook(const std::string& name);  ///< ValueError when there is none of that name.
    /// All hooks of a timing, in the order of their registration; update() calls them itself.
    void call_hooks(OptimizerHook::Timing timing);
    void call_hook(OptimizerHook& hook) { hook(*this); }

    /// How one parameter is updated: its own hyperparameters and hooks
    /// (frontend/optimizer/parameter_rule.h). ValueError when it is none of the target's.
    ParameterRule update_rule(const Parameter& param);
    /// By whose formula a parameter is updated: this optimizer, unless ParameterRule::use() gave it
    /// another one.
    Optimizer& rule_of(const UpdateSlot& slot) { return slot.rule ? *slot.rule : *this; }
    void set_rule(UpdateSlot& slot, std::shared_ptr<Optimizer> rule);  ///< ParameterRule::use().
    std::span<UpdateSlot> slots();
    /// The parameters that this update changes.
    std::vector<UpdateSlot*> active_slots();
    void find_active_slots(
        std::vector<UpdateSlot*>& active);  ///< The same, into a list that has memory.

    /// Names of the state kept for each parameter, "m", "v".
    virtual std::vector<std::string> moment_names() const;
    /// Step count, epoch and moments, "t", "epoch", "l1/W/t", "l1/W/m", and what the exchange of
    /// gradients remembers. The "t" of a parameter that was never updated, so that it has no
    /// moments, is 0.
    void serialize(const Serializer& s);
    /// Creates missing moments.
    void initialize_moments(UpdateSlot& slot);
    /// Sets the step count, not recorded.
    void set_step_count(int64_t t);
    virtual std::string type_name() const = 0;

    /// Numbers of the rule by name, "alpha", "lr"; setting one affects the next update, a compiled
    /// one too.
    virtual std::vector<Cell> hyperparameters() const;
    Cell hyperparameter(
        std::string_view name) const;  ///< ValueError that lists the existing names.
    virtual double learning_rate() const { return hyperparameter("lr"); }

protected:
    Optimizer();
    /// Changes the parameters of a group; usually one sweep (frontend/optimizer/update_rule.h).
    virtual void update_group(const UpdateGroup& group) = 0;
    /// The content of a moment before its first update; zeros unless a rule says otherwise.
    virtual Array first_moment(const std::string& name, const Type& type) const;
    /// The same of all moments of one parameter, in the order of moment_names(): for a rule whose
    /// moments begin with what the parameter holds, or have a shape of their own.
    virtual std::vector<Array> first_moments(const UpdateSlot& slot) const;
    /// False: moments may have other shapes than their parameters.
    virtual bool has_moments_like_parameters() const { return true; }
    /// Called by setup(): what a rule remembers of its numbers at the beginning.
    virtual void begin() {}

private:
    void restart(Link& link);
    void add_slots(std::span<const std::pair<std::string, Parameter*>> params);
    void begin_training();
    void start_backward(Variable loss);
    void call_parameter_hooks(OptimizerHook::Timing timing);
    void update_groups(std::span<UpdateSlot* const> active);
    void load_moments(const Serializer& s, UpdateSlot& slot);
    bool may_lack_moments(const Serializer& s, const UpdateSlot& slot,
                          std::span<const std::string> names) const;
    void unscale_gradients();

    void check_slots();
    void say_what_is_not_updated(std::span<UpdateSlot* const> active);

    std::shared_ptr<ParameterList> list_;  ///< The target that setup() with a list has made.
    std::shared_ptr<Link*> target_;        ///< Link::place().
    uint64_t checked_at_ = 0;  ///< Part::changes() when slots and target were last compared.
    std::vector<UpdateSlot> slots_;
    State t_;
    std::optional<AwaitingUpdate> first_update_;  ///< Between setup() and the first one.
    int64_t epoch_ = 0;
    bool use_cleargrads_ = true;
    bool scaled_ = false;
    bool use_fp32_ = false;
    Cell loss_scale_{1.0, "loss_scale"};
    std::shared_ptr<GradientExchange> exchange_;
    std::vector<std::pair<std::string, std::shared_ptr<OptimizerHook>>> hooks_;
};

}  // namespace catena
