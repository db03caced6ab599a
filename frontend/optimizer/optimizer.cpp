#include "frontend/optimizer/optimizer.h"

#include <algorithm>
#include <ranges>

#include <fmt/ranges.h>

#include "frontend/optimizer/by_device.h"
#include "frontend/optimizer/gradient_sweep.h"
#include "frontend/optimizer/masters.h"
#include "frontend/optimizer/parts.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/memory/reused_vector.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/code_changes.h"
#include "runtime/graph/call/held_state.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

class FunctionOptimizerHook final : public OptimizerHook {
public:
    FunctionOptimizerHook(std::string name, std::function<void(Optimizer&)> f, Timing timing)
        : name_(std::move(name)), function_(std::move(f)), timing_(timing) {}
    std::string name() const override { return name_; }
    Timing timing() const override { return timing_; }
    void operator()(Optimizer& optimizer) override { function_(optimizer); }

private:
    std::string name_;
    std::function<void(Optimizer&)> function_;
    Timing timing_;
};

const Sweep& unscale_sweep() {
    static const Sweep sweep(
        "unscale_gradient",
        {.values = 1,
         .targets = {0},
         .scalars = {"loss_scale"},
         .formula = make_formula<1, 1>([](auto g, auto scale) { return g / scale; })});
    return sweep;
}

Device& device_of(const UpdateSlot* slot) { return slot->param.device(); }

}  // namespace

Optimizer::Optimizer() : t_(Array::zeros({Dtype::int64, {}})) { t_.set_name("/t"); }
Optimizer::~Optimizer() = default;

Link& Optimizer::target() const {
    if (!target_) fail<ValueError>("{}: call setup() first", type_name());
    if (!*target_)
        fail<ValueError>("{}: the link that setup() was given does not exist any more",
                         type_name());
    return **target_;
}

void Optimizer::set_step_count(int64_t t) {
    RecorderScope paused(nullptr);
    DeviceScope host(cpu_device());
    t_.set_array(Array::scalar(t));
}

int64_t Optimizer::t() const { return t_.array().item<int64_t>(); }

Cell Optimizer::hyperparameter(std::string_view name) const {
    std::string names;
    for (const Cell& cell : hyperparameters()) {
        if (cell.name() == name) return cell;
        names += (names.empty() ? "" : ", ") + std::string(cell.name());
    }
    fail<ValueError>("{}: there is no hyperparameter '{}'; there are: {}", type_name(), name,
                     names);
}

void Optimizer::set_loss_scale(double scale) {
    if (!(scale > 0))
        fail<ValueError>("{}: the loss scale must be positive, not {}", type_name(), scale);
    if (!std::exchange(scaled_, true) || loss_scale_.value() != scale) note_code_change();
    loss_scale_ = scale;
}

void Optimizer::set_rule(UpdateSlot& slot, std::shared_ptr<Optimizer> rule) {
    rule->begin();
    slot.rule = std::move(rule);
    slot.own_numbers.clear();
    slot.moments.clear();
    if (!slot.master.is_initialized()) slot.part.reset();
    note_code_change();
}

void Optimizer::set_exchange(std::shared_ptr<GradientExchange> exchange) {
    exchange_ = std::move(exchange);
    note_code_change();
}

std::span<UpdateSlot> Optimizer::slots() { return slots_; }

void Optimizer::find_active_slots(std::vector<UpdateSlot*>& active) {
    active.clear();
    for (UpdateSlot& slot : slots_)
        if (slot.is_active()) active.push_back(&slot);
}

std::vector<UpdateSlot*> Optimizer::active_slots() {
    std::vector<UpdateSlot*> active;
    find_active_slots(active);
    return active;
}

std::vector<std::string> Optimizer::moment_names() const { return {}; }
std::vector<Cell> Optimizer::hyperparameters() const { return {}; }

Array Optimizer::first_moment(const std::string&, const Type& type) const {
    return Array::zeros(type);
}

std::vector<Array> Optimizer::first_moments(const UpdateSlot& slot) const {
    std::vector<Array> moments;
    for (const std::string& name : moment_names())
        moments.push_back(first_moment(name, {slot.update_dtype(), slot.param.shape()}));
    return moments;
}

void Optimizer::initialize_moments(UpdateSlot& slot) {
    for (const State& moment : slot.moments)
        move_beside(moment,
                    slot.param.device());  // A model may be moved after its optimizer was loaded.
    if (!slot.moments.empty()) return;
    RecorderScope paused(nullptr);
    DeviceScope scope(slot.param.device());
    const Optimizer& rule = rule_of(slot);
    const std::vector<std::string> names = rule.moment_names();
    std::vector<Array> first = rule.first_moments(slot);
    for (size_t i = 0; i < names.size(); ++i) {
        slot.moments.emplace_back(std::move(first[i]));
        slot.moments.back().set_name(slot.path + "/" + names[i]);
    }
}

void Optimizer::update(const std::source_location& at) try {
    LocationScope location(at);
    check_slots();
    auto no_graph = no_backprop_mode();
    for (const UpdateSlot& slot : slots_) {  // Before anything changes.
        if (!slot.is_active()) continue;
        slot.check_shapes(rule_of(slot).has_moments_like_parameters());
        if (!exchange_ || !exchange_->is_sharded()) check_is_whole(slot);
    }
    const auto named = [this] { return type_name(); };
    PartsScope parts(slots_, exchange_.get(), parts_, named);
    MastersScope masters(slots_, named);
    if (exchange_ && exchange_->finish(*this) != GradientExchange::Outcome::replaced) {
        if (Recorder* recorder = current_recorder()) recorder->passing();
        return;
    }
    take_masters(slots_);
    parts.begin();
    if (scaled_) unscale_gradients();
    ReusedVector<UpdateSlot*> active;
    find_active_slots(active);
    if (first_update_ || active.empty()) say_what_is_not_updated(active);
    if (!active.empty())
        move_beside(t_, active[0]->param.device());  // Rules and hooks compute with it.
    call_hooks(OptimizerHook::Timing::pre);
    parts.use_parts();
    find_active_slots(active);
    for (UpdateSlot* slot : active) initialize_moments(*slot);
    assign(t_, t_ + 1);
    call_parameter_hooks(OptimizerHook::Timing::pre);
    parts.use_parts();
    update_groups(active);
    masters.store_updates();
    call_hooks(OptimizerHook::Timing::post);
    call_parameter_hooks(OptimizerHook::Timing::post);
    parts.use_parts();
    masters.store_changes();
    parts.store();
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "update");
}

void Optimizer::update_groups(std::span<UpdateSlot* const> active) {
    for_each_device(active, device_of, [&](std::span<UpdateSlot* const> slots, Device& device) {
        ReusedVector<UpdateSlot*> memory;
        const Variable t = beside(t_, device);
        UpdateGroup common{{}, t};
        common.slots.swap(memory);
        std::vector<std::pair<Optimizer*, UpdateGroup>>
            others;  // By formula, in the order of their first parameters.
        for (UpdateSlot* slot : slots) {
            Optimizer& rule = rule_of(*slot);
            if (!slot->own_numbers.empty()) {
                rule.update_group({{slot}, t});
            } else if (&rule == this) {
                common.slots.push_back(slot);
            } else {
                auto group =
                    std::ranges::find(others, &rule, &std::pair<Optimizer*, UpdateGroup>::first);
                if (group == others.end())
                    group = others.insert(group, {&rule, UpdateGroup{{}, t}});
                group->second.slots.push_back(slot);
            }
        }
        if (!common.slots.empty()) update_group(common);
        common.slots.swap(memory);
        for (auto& [rule, group] : others) rule->update_group(group);
    });
}

void Optimizer::new_epoch(bool automatic) {
    if (automatic && !use_auto_new_epoch)
        fail<ValueError>("{}: new_epoch(true) is for updaters, which set use_auto_new_epoch",
                         type_name());
    if (!automatic && use_auto_new_epoch)
        fail<ValueError>(
            "{}: new_epoch: its updater counts the epochs; give the updater auto_new_epoch = "
            "false, or do not count "
            "them",
            type_name());
    ++epoch_;
}

void Optimizer::use_cleargrads(bool use) {
    if (std::exchange(use_cleargrads_, use) != use) note_code_change();
}

void Optimizer::use_fp32_update(bool use) {
    use_fp32_ = use;
    for (UpdateSlot& slot : slots_) slot.use_fp32 = use;
    note_code_change();
}

void Optimizer::reallocate_cleared_grads() {
    target();
    for (UpdateSlot& slot : slots_) {
        if (!slot.param.array().defined() || slot.param.grad_variable().defined()) continue;
        const DeviceScope beside(slot.param.device());
        slot.param.set_grad_variable(fill(slot.param.type(), 0));
    }
}

void Optimizer::zero_grad() {
    target();
    for (UpdateSlot& slot : slots_) slot.param.cleargrad();
}

void Optimizer::start_backward(Variable loss) try {
    for (UpdateSlot& slot : slots_) {
        if (use_cleargrads_) {
            slot.param.cleargrad();
        } else if (slot.param.array().defined()) {
            DeviceScope scope(slot.param.device());
            slot.param.set_grad(Array::zeros(slot.param.type()));
        }
    }
    backward(loss);
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "update");
}

void Optimizer::backward(const Variable& loss) try {
    BackwardOptions options{.loss_scale = loss_scale_};
    if (exchange_)
        exchange_->backward(*this, loss, options);
    else
        loss.backward(options);
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "backward");
}

void Optimizer::backward_part(const Variable& loss) {
    BackwardOptions options{.loss_scale = loss_scale_};
    if (exchange_)
        exchange_->backward_part(loss, options);
    else
        loss.backward(options);
    forget_untrained_parameters();  // The copies have none.
}

void Optimizer::unscale_gradients() {
    sweep_gradients(unscale_sweep(), active_slots(), {}, {loss_scale_},
                    GradientSweepValues::gradient);
}

Optimizer& Optimizer::add_hook(std::shared_ptr<OptimizerHook> hook, std::string name) try {
    target();
    if (name.empty()) name = hook->name();
    for (auto& [taken, other] : hooks_)
        if (taken == name)
            fail<ValueError>(
                "{}: a hook named '{}' was added already; give another name, or remove that one "
                "first",
                type_name(), name);
    hooks_.emplace_back(std::move(name), std::move(hook));
    note_code_change();
    return *this;
} catch (const std::bad_alloc&) {
    throw_out_of_memory([this] { return type_name(); }, "add_hook");
}

Optimizer& Optimizer::add_hook(std::string name, std::function<void(Optimizer&)> hook,
                               OptimizerHook::Timing timing) {
    return add_hook(
        std::make_shared<FunctionOptimizerHook>(std::move(name), std::move(hook), timing));
}

void Optimizer::remove_hook(const std::string& name) {
    auto removed = std::erase_if(hooks_, [&](auto& hook) { return hook.first == name; });
    if (removed == 0)
        fail<ValueError>("{}: no hook is named '{}'; it has [{}]", type_name(), name,
                         fmt::join(hooks_ | std::views::keys, ", "));
    note_code_change();
}

namespace {

/// The hooks as they are now: one that is called may add and remove others, and itself.
template <class Hook>
SmallVector<std::shared_ptr<Hook>, 4> held(
    const std::vector<std::pair<std::string, std::shared_ptr<Hook>>>& named) {
    SmallVector<std::shared_ptr<Hook>, 4> hooks;
    for (const auto& [name, hook] : named) hooks.push_back(hook);
    return hooks;
}

}  // namespace

void Optimizer::call_hooks(OptimizerHook::Timing timing) {
    for (const auto& hook : held(hooks_))
        if (hook->timing() == timing) {
            if (parts_) parts_->suit(*hook, slots_);
            (*hook)(*this);
        }
}

void Optimizer::call_parameter_hooks(OptimizerHook::Timing timing) {
    for (UpdateSlot& slot : slots_) {
        if (!slot.is_active()) continue;
        UpdateSlot* const slots[] = {&slot};
        for (const auto& hook : held(slot.hooks)) {
            if (hook->timing() != timing) continue;
            if (parts_) parts_->suit(*hook, {&slot, 1});
            hook->change(slots, beside(t_, slot.param.device()));
        }
    }
}

}  // namespace catena
