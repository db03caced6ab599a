#include "tests/fuzz/host_machine.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "runtime/graph/call/recorder.h"
#include "tests/support/memory.h"

namespace catena::fuzz {
namespace {

constexpr int64_t units = HostModel::units;

/// A ConfigScope on the heap, as long as one call.
std::unique_ptr<ConfigScope<bool>> scope(bool Config::* key, bool value) {
    return std::make_unique<ConfigScope<bool>>(key, value);
}

Variable data(const Variable& v) { return Variable(v.array(), false); }

void write(void* to, Dtype dtype, double value) {
    if (dtype == Dtype::float64)
        *static_cast<double*>(to) = value;
    else
        *static_cast<float*>(to) = float(value);
}

}  // namespace

HostModel::HostModel(int count) {
    for (int i = 0; i < count; ++i) layers.append(Linear(units, units));
    add_children({{"layers", layers}, {"bn", bn}, {"lstm", lstm}});
}

HostMachine::HostMachine(const HostProgram& program, testing::Side& side, Fault fault)
    : program_(program),
      side_(side),
      fault_(fault),
      dtype_(program.wide ? Dtype::float64 : Dtype::float32),
      random_(uint32_t(program.seed)),
      rounding_(program.rounding),
      model_(program.layers),
      forward_region_(side.region(
          Inner([this](const Variable& x) { return forward(x); }),
          {.name = "forward", .compile_mode = program.mode, .keep_grads = program.keep_grads})),
      inner_region_(side.region(
          Inner([this](const Variable& v) {
              value_ = v;
              run(inner_actions_);
              return value_;
          }),
          {.name = "inner", .compile_mode = program.mode, .keep_grads = program.keep_grads})),
      step_region_(side.region(
          Step([this](const Variable& x, const Variable& t) { return step(x, t); }),
          {.name = "step", .compile_mode = program.mode, .keep_grads = program.keep_grads})) {
    for (const auto* list : {&program.before, &program.rest})
        for (const Action& a : *list)
            takes_gradients_ |= a.act == Act::backward || a.act == Act::backward_outside ||
                                a.act == Act::gradient_outside;
    make_optimizer(int(program.optimizing));
    for (int i = 0; i < 2; ++i) {
        states_.emplace_back(numbers({units}));
        states_.back().set_name(fmt::format("state {}", i));
    }
}

Array HostMachine::numbers(const Shape& shape) {
    std::vector<double> values(size_t(element_count(shape)));
    for (double& v : values) v = double(random_() % 2001) / 1000 - 1;
    if (program_.rounding) {
        const double epsilon = program_.wide ? std::numeric_limits<double>::epsilon()
                                             : std::numeric_limits<float>::epsilon();
        for (double& v : values) v *= 1 + epsilon * (double(rounding_() % 3) - 1);
    }
    return Array::from(values, shape).astype(dtype_);
}

Variable HostMachine::input(int number) {
    Array x = numbers({rows_, units});
    if (fault_ == Fault::perturbed_input && side_.compiled() && number == 2)
        x = (Variable(x) * 1.01).array();
    return Variable(x, number % 2 == 0);
}

Variable HostMachine::targets(int number) {
    std::vector<int32_t> labels(static_cast<size_t>(rows_));
    for (size_t i = 0; i < labels.size(); ++i) labels[i] = int32_t((i + size_t(number)) % units);
    if (bad_labels_ && rows_ > 0) labels[0] = 77;
    return Variable(Array::from(labels, {rows_}), false);
}

Linear& HostMachine::layer(int which) {
    return model_.layers.get<Linear>(size_t(which) % model_.layers.size());
}

void HostMachine::make_optimizer(int kind) {
    switch (kind % 3) {
        case 0:
            optimizer_ = std::make_unique<SGD>(0.05);
            break;
        case 1:
            optimizer_ = std::make_unique<MomentumSGD>(0.02, 0.8);
            break;
        default:
            optimizer_ = std::make_unique<Adam>(
                AdamOptions{.alpha = 0.01, .eps = 1e-3});  // Rounding is no gradient.
    }
    optimizer_->setup(model_);
}

void HostMachine::call(int number) {
    counter_ = number;
    // What code does after an operation that fails does not happen in the plain run: it must not
    // reach the next call.
    random_.seed(uint32_t(program_.seed * 1000 + uint64_t(number)));
    side_.call(number);
    rows_ = 3;
    bad_labels_ = has_failed_ = false;
    kept_this_call_.clear();
    inner_actions_ = {};
    struct EndOfScopes {
        std::vector<std::unique_ptr<ConfigScope<bool>>>& scopes;
        ~EndOfScopes() { end(); }
        void end() {
            while (!scopes.empty())
                scopes.pop_back();  // The last first: each puts back what it found.
        }
    } end_of_scopes{call_scopes_};
    std::optional<StepResult> result;
    try {
        run(program_.before);
        if (fault_ == Fault::lost_state && side_.compiled() && number == 4)
            states_[0].set_array(Array::zeros(states_[0].type()));
        if (fault_ == Fault::moved_state && side_.compiled() && number == 4)
            states_[0].set_array(
                tile(Variable(states_[0].array(), false), {2}).array().view({units}, {1}, units));
        x_ = input(number);
        t_ = targets(number);
        walked_ = false;
        in_step_ = true;
        if (program_.wrapped == HostProgram::Wrapped::forward)
            result = step(x_, t_);
        else
            result = step_region_(x_, t_);
        side_.saw("error", "none");
    } catch (const TraceError&) {
        throw;
    } catch (const std::exception& error) {
        side_.saw("error", error.what());
        drop_what_the_call_made();
    }
    in_step_ = false;
    forget_pointer();
    end_of_scopes.end();
    show(result ? &*result : nullptr);
}

// Results of a failed call may not be readable in the compiled run, and the extent of their graph
// is unspecified.
void HostMachine::drop_what_the_call_made() {
    value_ = loss_ = Variable();
    for (const Variable& state : {model_.lstm.h(), model_.lstm.c()})
        if (state.defined()) state.unchain();
    for (size_t k : kept_this_call_) kept_[k] = Variable();
}

void HostMachine::show(const StepResult* result) {
    if (result) {
        side_.saw("value", result->value);
        side_.saw_gradient("value", result->value);  // Where backward retained it.
        side_.saw("loss", result->loss);
        side_.saw("counter", result->counter);
        if (result->loss.defined())
            for (double v : result->loss.array().to_vector<double>())
                moderate_ = moderate_ && std::abs(v) < 1e4;
    }
    if (x_.defined() && x_.requires_grad()) side_.saw_gradient("x", x_);
    side_.saw("model", model_);
    if (average_) side_.saw("average", *average_);
    side_.saw("optimizer", *optimizer_);
    side_.saw("states", states_);
    side_.saw("kept", kept_);
    side_.saw("read by the host", host_values_);
    side_.saw("memory seen", seen_memory_);
    show_memory(result);
    side_.saw("c", model_.lstm.c());
    side_.saw_random_state();
    host_values_.clear();
    seen_memory_.clear();
    for (const Parameter* p : model_.params())
        if (p->is_initialized())
            for (double v : p->array().to_vector<double>())
                moderate_ = moderate_ && std::abs(v) < 1e3;
}

std::vector<Array> HostMachine::held_arrays() const {
    std::vector<Array> arrays;
    const auto add = [&](const Variable& v) {
        arrays.push_back(v.defined() ? v.array() : Array());
    };
    add(x_);
    for (const State& s : states_) add(s);
    for (const Variable& v : kept_) add(v);
    for (const Parameter* p : model_.params()) add(*p);
    for (const Variable& v : {model_.lstm.h(), model_.lstm.c()}) add(v);
    return arrays;
}

/// Where everything lies that lives on, and what shares its memory.
void HostMachine::show_memory(const StepResult* result) {
    std::vector<Array> arrays = held_arrays();
    const auto add = [&](const Variable& v) {
        arrays.push_back(v.defined() ? v.array() : Array());
    };
    if (result) {
        add(result->value);
        add(result->loss);
    }
    for (auto& [path, state] : model_.namedpersistents()) add(*state);
    for (UpdateSlot& slot : optimizer_->slots())
        for (const State& moment : slot.moments) add(moment);
    if (average_)
        for (const Parameter* p : average_->params()) add(*p);
    if (program_.keep_grads)  // Else some are used up.
        for (const Parameter* p : model_.params()) arrays.push_back(p->grad());
    side_.saw("memory", testing::memory_of(arrays));
}

void HostMachine::forget_pointer() {
    addressed_ = Array();
    pointer_ = nullptr;
}

void HostMachine::count(Outcome& outcome) const {
    auto add = [&](const auto& region) {
        if (auto counts = region.counts()) {
            outcome.compiled_calls += counts->compiled_calls;
            outcome.cuts += counts->cuts;
            outcome.programs += counts->programs;
        }
    };
    add(forward_region_);
    add(inner_region_);
    add(step_region_);
}

Variable HostMachine::forward(const Variable& x) {
    value_ = x;
    run(program_.forward);
    forget_pointer();  // Pointers from before a call of a region are not noticed.
    return value_;
}

HostMachine::StepResult HostMachine::step(const Variable& x, const Variable& t) {
    t_ = t;
    loss_ = Variable();
    value_ = program_.wrapped == HostProgram::Wrapped::step ? forward(x) : forward_region_(x);
    run(program_.rest);
    return {value_, loss_, counter_ * 10};
}

bool HostMachine::applies(const Action& action) {
    switch (action.when) {
        case Action::When::every:
            return counter_ % action.period == action.phase % action.period;
        case Action::When::from:
            return counter_ >= action.phase;
        case Action::When::chance:
            return random_() % uint32_t(action.period) == 0;
        default:
            return true;
    }
}

void HostMachine::run(std::span<const Action> actions) {
    for (size_t i = 0; i < actions.size(); ++i) {
        const Action& action = actions[i];
        if (!applies(action)) continue;
        if (fault_ == Fault::skipped_action && side_.compiled() && counter_ == 3 &&
            action.act == Act::scale)
            continue;
        const auto inside =
            actions.subspan(i + 1, std::min(size_t(action.which), actions.size() - i - 1));
        if (action.act == Act::test_mode) {
            auto mode = using_config(&Config::train, false);
            run(inside);
            i += inside.size();
        } else if (action.act == Act::no_graph) {
            auto mode = no_backprop_mode();
            run(inside);
            i += inside.size();
        } else if (action.act == Act::inner_region) {
            if (!value_.defined()) continue;
            const auto outer = inner_actions_;
            inner_actions_ = inside;
            forget_pointer();
            value_ = inner_region_(value_);
            forget_pointer();
            inner_actions_ = outer;
            i += inside.size();
        } else {
            act(action);
        }
    }
}

// The plain run has ended where a bad label was met. Later changes of Catena's variables in the
// compiled run are undone; what it does to objects of the host is not, so the program does nothing
// to those.
bool HostMachine::lasts_beyond_an_error(const Action& action) const {
    switch (action.act) {
        case Act::keep:
        case Act::replace_state:
        case Act::replace_layer:
        case Act::throw_here:
        case Act::write_element:
        case Act::take_pointer:
        case Act::write_by_pointer:
        case Act::look_at_memory:
            return true;
        case Act::update:
            return !optimizer_->moment_names().empty();  // It may make its moments now.
        case Act::average_weights:
            return !average_;
        default:
            return action.act >= Act::freeze;
    }
}

void HostMachine::act(const Action& action) {
    if (has_failed_ && lasts_beyond_an_error(action)) return;
    if (in_step_) {
        if (!act_on_value(action) && !act_by_pointer(action) && !act_on_memory(action) &&
            !act_on_training(action))
            act_on_objects(action);
    } else if (!act_on_training(action)) {
        act_on_objects(action);
        act_between(action);
    }
}

bool HostMachine::act_on_value(const Action& action) {
    if (!value_.defined()) return false;
    const int64_t axis = counter_ % 2;
    Variable& v = value_;
    switch (action.act) {
        case Act::layer:
            v = layer(action.which)(v);
            return true;
        case Act::activation:
            switch (action.which % 4) {
                case 0:
                    v = tanh(v);
                    break;
                case 1:
                    v = relu(v);
                    break;
                case 2:
                    v = sigmoid(v);
                    break;
                default:
                    v = softmax(v, 1);
            }
            return true;
        case Act::scale:
            v = v * action.number + 0.1;
            return true;
        case Act::scale_by_counter:
            v = v * (1.0 + 0.1 * counter_);
            return true;
        case Act::loop:
            for (int k = (counter_ * (1 + action.which)) % 4; k > 0; --k)
                v = tanh(layer(action.which + k)(v));
            return true;
        case Act::axis_by_counter:
            switch (action.which % 4) {
                case 0:
                    v = flip(v, axis) * 0.9;
                    break;
                case 1:
                    v = v + sum(v, axis, true) * 0.1;
                    break;
                case 2:
                    v = softmax(v, axis) + v;
                    break;
                default:
                    v = v * get_item(v, {slice({}), slice(counter_ % units, counter_ % units + 1)});
            }
            return true;
        case Act::drop:
            v = dropout(v, action.number * 0.5);
            return true;
        case Act::noise:
            v = v + random_normal(v.shape(), dtype_) * 0.1;
            return true;
        case Act::host_noise:
            v = v + Variable(numbers({units}), false) * (double(random_() % 100) / 100);
            return true;
        case Act::batch_norm:
            v = model_.bn(v);
            return true;
        case Act::recur:
            v = model_.lstm(v);
            return true;
        case Act::host_variable: {
            Variable made(Array::full({dtype_, {units}}, 0.1 * counter_), action.which % 2 == 0);
            v = v + made * action.number;
            return true;
        }
        case Act::convert:
            v = v + Variable(v.array().astype(Dtype::float32).astype(dtype_), false) * 0.1;
            if (action.which % 2 && v.size() >= units)
                v = v +
                    Variable(transpose(v).array().as_contiguous().view({units}, {1}, 0), false) *
                        0.1;
            return true;
        case Act::use_state:
            v = v + states_[size_t(action.which) % 2];
            return true;
        case Act::use_kept:
        case Act::use_kept_array:
            for (const Variable& k : kept_)
                if (k.defined() && k.shape() == v.shape())
                    v = v + (action.act == Act::use_kept ? k : data(k)) * 0.3;
            return true;
        case Act::unchain:
            v.unchain_backward();
            return true;
        case Act::branch_on_value:
            // Off round numbers: rounding must not decide.
            if (mean(v).item<double>() > action.number * 0.2 + 0.0123) v = tanh(v);
            return true;
        case Act::pointer_write: {
            // x was used before; what follows sees the new element. A gradient that still reads x
            // would be neither the old one's nor the new one's, eagerly too.
            if (x_.size() == 0 || takes_gradients_) return true;
            write(x_.array().raw_data(), dtype_, 0.1 * counter_);
            v = v + data(x_) * 0.2;
            return true;
        }
        default:
            return false;
    }
}

/// Undefined where there is nothing that may be written: a gradient that still reads it would be
/// neither the old one's nor the new one's, eagerly too.
Array HostMachine::target_of(const Action& action) const {
    if (takes_gradients_) return {};
    const std::vector<Array> arrays = held_arrays();
    const size_t which = size_t(action.which) % (arrays.size() + 1);
    const Array target = which < arrays.size() ? arrays[which]
                         : value_.defined()    ? value_.array()
                                               : Array();
    return target.defined() && target.size() > 0 ? target : Array();
}

bool HostMachine::act_by_pointer(const Action& action) {
    switch (action.act) {
        case Act::write_element:
            if (const Array target = target_of(action); target.defined())
                write(target.raw_data(), target.dtype(), 0.1 * counter_ + action.number);
            return true;
        case Act::take_pointer:
            addressed_ = target_of(action);
            pointer_ = addressed_.defined() ? addressed_.raw_data() : nullptr;
            return true;
        case Act::write_by_pointer:
            if (pointer_) write(pointer_, addressed_.dtype(), 0.2 * counter_ - action.number);
            return true;
        case Act::look_at_memory: {
            std::vector<Array> arrays = held_arrays();
            arrays.push_back(value_.defined() ? value_.array() : Array());
            for (std::string& text : testing::memory_of(arrays))
                seen_memory_.push_back(std::move(text));
            return true;
        }
        default:
            return false;
    }
}

bool HostMachine::act_on_memory(const Action& action) {
    State& state = states_[size_t(action.which) % 2];
    switch (action.act) {
        case Act::keep: {
            if (!value_.defined()) return true;
            const size_t place = size_t(action.which) % 3;
            kept_.resize(3);
            kept_[place] = value_;
            kept_this_call_.push_back(place);
            return true;
        }
        case Act::read_value:
            if (value_.defined()) host_values_.push_back(sum(value_).item<double>());
            return true;
        case Act::update_state:
            if (value_.defined() && value_.shape()[0] > 0)
                assign(state, state * 0.8 + data(mean(value_, 0)) * 0.2);
            return true;
        case Act::replace_state:
            if (action.which % 3 == 0)
                state = State(numbers({units}));
            else if (action.which % 3 == 1)
                state.set_array((state * 0.5 + 0.1 * counter_).array());
            else
                state = states_[size_t(action.which + 1) % 2];
            return true;
        case Act::average_weights: {
            auto quiet = no_backprop_mode();
            if (!average_) average_ = std::make_unique<HostModel>(model_);
            auto from = model_.params(), to = average_->params();
            for (size_t k = 0; k < std::min(from.size(), to.size()); ++k)
                to[k]->set_array((*to[k] * 0.9 + *from[k] * 0.1).array());
            return true;
        }
        case Act::throw_here:
            throw HostError(fmt::format("at {} in call {}", action.which, counter_));
        case Act::catch_here:
            try {
                if (value_.defined())
                    value_ = value_ + Variable(numbers({counter_ % 2 ? units : units + 1}), false);
            } catch (const ShapeError&) {
                value_ = value_ * 0.7;
            }
            return true;
        default:
            return false;
    }
}

bool HostMachine::act_on_training(const Action& action) {
    auto with_gradient = [&](auto&& f) {
        for (Parameter* p : layer(action.which).params())
            if (p->is_initialized() && p->grad_variable().defined()) f(*p);
    };
    switch (action.act) {
        case Act::square_loss:
            if (value_.defined() && in_step_) {
                loss_ = mean(square(value_)) * (1.0 + action.number);
                has_failed_ = config().debug && rows_ == 0;  // The mean of nothing is NaN.
            }
            return true;
        case Act::label_loss:
            if (value_.defined() && in_step_) {
                loss_ = softmax_cross_entropy(value_, t_);
                has_failed_ = bad_labels_ && rows_ > 0;
            }
            return true;
        case Act::clear:
            model_.cleargrads();
            return true;
        case Act::clear_layer:
            layer(action.which).cleargrads();
            return true;
        case Act::backward:
            if (!in_step_ || !loss_.defined() || !loss_.body()->creator) return true;
            walked_ = true;
            loss_.backward(
                {.retain_grad = action.which % 4 == 0, .loss_scale = optimizer_->loss_scale()});
            return true;
        case Act::cut_history:
            if (loss_.defined()) loss_.unchain_backward();
            return true;
        case Act::update:
            optimizer_->update();
            return true;
        case Act::update_by_hand:
            with_gradient([&](Parameter& p) {
                assign(p, data(p) - p.grad_variable() * (0.05 * action.number));
            });
            return true;
        case Act::set_by_hand:
            with_gradient([&](Parameter& p) {
                p.set_array(
                    (data(p) - data(p.grad_variable()) * 0.01 * double(1 + counter_)).array());
            });
            return true;
        case Act::edit_gradients:
            with_gradient([&](Parameter& p) {
                p.set_grad((data(p.grad_variable()) * action.number).array());
            });
            return true;
        case Act::read_gradient:
            with_gradient([&](Parameter& p) {
                host_values_.push_back(sum(p.grad_variable()).item<double>());
            });
            return true;
        default:
            return false;
    }
}

void HostMachine::act_on_objects(const Action& action) {
    Cell rate = optimizer_->hyperparameters()[0];
    switch (action.act) {
        case Act::freeze:
            layer(action.which).disable_update();
            break;
        case Act::thaw:
            layer(action.which).enable_update();
            break;
        case Act::remove_hooks:
        case Act::add_decay:
        case Act::add_clipping:
            for (const char* name : {"WeightDecay", "GradientClipping"}) {
                try {
                    optimizer_->remove_hook(name);
                } catch (const ValueError&) {
                }
            }
            if (action.act == Act::add_decay)
                optimizer_->add_hook(WeightDecay(0.01 * (1 + action.which)));
            if (action.act == Act::add_clipping)
                optimizer_->add_hook(GradientClipping(0.1 + action.number));
            break;
        case Act::rate:
            rate = 0.05 / (1 + counter_ + action.which);
            break;
        case Act::loss_scale:
            optimizer_->set_loss_scale(action.which % 2 ? 64 : 8);
            break;
        case Act::set_up_again:
            optimizer_->setup(model_);
            break;
        case Act::replace_layer:
            layer(action.which) = Linear(units, units);
            if (action.which % 3) optimizer_->setup(model_);
            break;
        case Act::other_optimizer:
            make_optimizer(action.which);
            break;
        case Act::reset_recurrence:
            model_.lstm.reset_state();
            break;
        case Act::reseed:
            set_seed(action.which);
            break;
        default:
            break;
    }
}

void HostMachine::act_between(const Action& action) {
    switch (action.act) {
        case Act::write_element:
            act_by_pointer(action);
            break;
        case Act::backward_outside:
            if (loss_.defined() && loss_.body()->creator && (!walked_ || action.which == 0))
                loss_.backward();
            break;
        case Act::gradient_outside:
            if (loss_.defined() && loss_.body()->creator && x_.defined() && x_.requires_grad() &&
                !walked_)
                side_.saw("gradient outside", grad(std::span(&loss_, 1), std::span(&x_, 1))[0]);
            break;
        case Act::call_inner: {
            const Action steps[] = {{.act = Act::layer, .which = action.which},
                                    {.act = Act::scale, .number = action.number}};
            inner_actions_ = steps;
            in_step_ = true;
            side_.saw("inner", inner_region_(Variable(numbers({2, units}), false)));
            in_step_ = false;
            inner_actions_ = {};
            value_ = Variable();
            break;
        }
        case Act::fewer_rows:
            rows_ = action.which % 4;
            model_.lstm.reset_state();
            break;
        case Act::bad_labels:
            bad_labels_ = true;
            break;
        case Act::debug_call:
            call_scopes_.push_back(scope(&Config::debug, true));
            break;
        case Act::test_call:
            call_scopes_.push_back(scope(&Config::train, false));
            break;
        case Act::eager_call:
            call_scopes_.push_back(scope(&Config::use_static_graph, false));
            break;
        default:
            break;
    }
}

}  // namespace catena::fuzz
