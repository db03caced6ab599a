// Composites inside a region's code: followed as the calls of their bodies, or taken again without
// calling them.
#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>

#include "frontend/capture/follower.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/config.h"
#include "runtime/graph/hooks.h"

namespace catena::capture {
namespace {

using Inputs = std::span<const Variable* const>;

/// Bodies at one place that are remembered: one whose numbers are others at every call never comes
/// again.
constexpr int most_body_attempts = 2;

bool same_numbers(std::span<const Scalar> scalars, std::span<const uint64_t> bits) {
    return std::ranges::equal(scalars, bits, [](const Scalar& s, uint64_t b) {
        return std::bit_cast<uint64_t>(s.present()) == b;
    });
}

/// Whether its body is a function of what it is given, and makes no nodes of the graph.
bool may_be_repeated(const OpDef& op) {
    return op.kernel && (op.gradient || !config().enable_backprop) && !config().debug;
}

}  // namespace

Variables Follower::follow_body(const OpCall& call) {
    check_composite(call);
    std::optional<FunctionHooksPaused> unheard;  // In eager code this is one kernel.
    if (call.op.kernel) unheard.emplace();
    composite_begins(call);
    Variables outputs;
    try {
        outputs = run_body(call);
    } catch (...) {  // The user's code may catch it and go on.
        composite_ends({});
        throw;
    }
    composite_ends(outputs);
    return outputs;
}

void Follower::composite_begins(const OpCall& call) {
    composites_.push_back({&call.op, &call.attributes, call.inputs, step_, int(scalars_.size()),
                           int(call.scalars.size()), begin_body(call)});
    for (const Scalar& s : call.scalars) add_scalar(s);
}

void Follower::composite_ends(std::span<const Variable> outputs) {
    if (composites_.empty()) return;  // An error has ended the call.
    const OpenComposite open = composites_.back();
    composites_.pop_back();
    if (outputs.empty()) {  // Its body threw.
        last_composite_scalar_ = -1;
        return;
    }
    if (open.op && open.op->kernel) own_results(outputs);
    last_composite_scalar_ = open.first_scalar;
    if (open.op && open.recording.at) end_body(open, outputs);
    if (!leaving_ || !open.op || !open.op->kernel || step_ == open.before || !addressed_.empty())
        return;
    auto composite = std::make_unique<Composite>();
    composite->op = open.op;
    composite->attributes = *open.attributes;
    composite->first_scalar = open.first_scalar;
    composite->scalar_count = open.scalar_count;
    composite->steps = steps_ - (open.before ? open.before->index + 1 : 0);
    const int first_value =
        open.before ? open.before->end_value : segment_->first_value + segment_->arguments;
    for (const Variable* x : open.inputs) {
        composite->operands.push_back(number_of(x->array()));
        if (composite->operands.back() < 0) return;  // The body does not read it.
    }
    for (const Variable& y : outputs) {
        const int v = number_of(y.array());
        if (v < first_value || y.array().body()->pending != this) return;
        composite->outputs.push_back(v);
    }
    std::lock_guard lock(tree_->mutex);
    auto& known = const_cast<Step*>(step_)->composites;
    if (!known) known = std::make_unique<std::vector<std::unique_ptr<Composite>>>();
    for (const auto& other : *known)
        if (other->steps == composite->steps) return;
    known->push_back(std::move(composite));
}

//---- bodies that are known

KnownBody* Follower::known_body(const OpCall& call) {
    return place().find<KnownBody>([&](const KnownBody& known) {
        return known.op == &call.op && known.settings == config_key() &&
               known.device == &current_device() && known.first_scalar == int(scalars_.size()) &&
               same_numbers(call.scalars, known.numbers) && is_given(known, call.inputs) &&
               known.attributes == call.attributes && known.steps.read_the_same_cells(scalars_);
    });
}

/// As matches().
bool Follower::is_given(const KnownBody& known, Inputs inputs) {
    if (known.inputs.size() != inputs.size()) return false;
    new_inputs_.clear();
    for (size_t i = 0; i < inputs.size(); ++i) {
        const ArrayBody* body = inputs[i]->array().body();
        const KnownBody::Input& expected = known.inputs[i];
        if (body->pending) {
            if (body->pending != this || body->value != expected.value) return false;
        } else if (!expected.from_outside) {
            if (slots_[size_t(expected.value)].array.body() != body) return false;
        } else if (expected.same_as >= 0) {
            if (inputs[size_t(expected.same_as)]->array().body() != body) return false;
        } else if (!(body->type == expected.from_outside->type) ||
                   body->storage->device != expected.from_outside->device ||
                   !is_new(*body, expected.value)) {
            return false;
        }
    }
    return true;
}

bool Follower::repeat_body(const OpCall& call, Variables& outputs) {
    if (!may_be_repeated(call.op) || leaving_ || rules_.is_replayed || known_steps_are_checked())
        return false;
    const KnownBody* known = known_body(call);
    if (!known || known->state != KnownState::confirmed) return false;
    take_again(known->steps);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
        const KnownBody::Input& input = known->inputs[i];
        if (!input.from_outside || input.same_as >= 0) continue;
        take_input(input.value, call.inputs[i]->array());
    }
    lay_out(known->steps);
    last_composite_scalar_ = known->first_scalar;
    for (int v : known->outputs) outputs.emplace_back(slots_[size_t(v)].array, false);
    own_results(outputs);
    return true;
}

/// The steps are taken without comparing them with anything: what they follow from was compared.
void Follower::take_again(const KnownSteps& known) {
    if (known.last) {
        const size_t end = size_t(known.last->end_value);
        if (slots_.size() < end) slots_.resize(std::max(end, slots_.size() * 2));
        for (size_t i = 0; i < known.makers.size(); ++i) {
            const Step* maker = known.makers[i];
            const int v = known.first_value + int(i);
            if (const Slot& s = slots_[size_t(v)];
                maker && (s.maker != maker || !s.array.defined()))
                placeholder(v, maker->outputs()[size_t(v - maker->first_output)], *maker);
        }
        count_ = known.last->end_value;
        step_ = known.last;
        steps_ = step_->index + 1;
    }
    scalars_.insert(scalars_.end(), known.scalars.begin(), known.scalars.end());
    cells_.insert(cells_.end(), known.new_cells.begin(), known.new_cells.end());
    last_composite_scalar_ = -1;
}

//---- remembering

/// `scalars`: how many there were before them.
KnownSteps Follower::steps_since(const Step* before, size_t scalars) const {
    KnownSteps known;
    known.last = step_ == before ? nullptr : step_;
    known.first_value = before ? before->end_value : segment_->first_value + segment_->arguments;
    known.makers.resize(size_t(count_ - known.first_value));
    for (const Step* step = step_; step != before; step = step->previous) {
        if (step->call->op->view) known.views.push_back(step);
        for (int v = step->first_output; v < step->end_value; ++v)
            known.makers[size_t(v - known.first_value)] = step;
        for (size_t k = 0; k < step->scalars().size(); ++k)
            if (Cell::Body* cell = step->cell(k))
                known.cells.push_back({Ref<Cell::Body>(cell), cell->value, step->scalars()[k]});
    }
    std::ranges::reverse(known.views);
    known.scalars.assign(scalars_.begin() + int64_t(scalars), scalars_.end());
    known.new_cells.assign(first_cell_from(int(scalars)), cells_.end());
    return known;
}

BodyRecording Follower::begin_body(const OpCall& call) {
    if (!may_be_repeated(call.op)) return {};
    KnownBody* known = known_body(call);
    const bool is_open =
        known ? known->state == KnownState::new_one ||
                    (known->state == KnownState::confirmed && known_steps_are_checked())
              : place().attempts(Outgrowth::Kind::body) < most_body_attempts;
    if (!is_open) return {};
    if (!known) place().add_attempt(Outgrowth::Kind::body);
    return {.at = &place(),
            .expected = known,
            .changes = log_.size(),
            .nodes = nodes_.size(),
            .disturbances = disturbances_};
}

/// Null if it did more than take steps that follow from the composite's inputs.
std::unique_ptr<KnownBody> Follower::made_body(const OpenComposite& open,
                                               std::span<const Variable> outputs) {
    const BodyRecording& r = open.recording;
    if (step_ == open.before || disturbances_ != r.disturbances || nodes_.size() != r.nodes ||
        log_.size() != r.changes)
        return nullptr;
    auto made = std::make_unique<KnownBody>();
    made->op = open.op;
    made->attributes = *open.attributes;
    made->settings = config_key();
    made->device = &current_device();
    made->first_scalar = open.first_scalar;
    made->steps = steps_since(open.before, size_t(open.first_scalar));
    for (int k = 0; k < open.scalar_count; ++k)
        made->numbers.push_back(std::bit_cast<uint64_t>(made->steps.scalars[size_t(k)]));

    const int first = made->steps.first_value;
    struct New {
        const Step::Input* input = nullptr;
        int given_as = -1;
    };
    std::vector<New> from_outside(made->steps.makers.size());  // By value.
    size_t unexplained = 0;
    for (const Step* step = step_; step != open.before; step = step->previous) {
        for (size_t i = 0; i < step->inputs().size(); ++i)
            from_outside[size_t(step->first_value - first) + i].input = &step->inputs()[i];
        unexplained += step->inputs().size();
    }
    for (const Variable* x : open.inputs) {
        KnownBody::Input input{.value = number_of(x->array())};
        if (input.value < 0) return nullptr;
        if (input.value >= first) {
            New& made_of = from_outside[size_t(input.value - first)];
            input.from_outside = made_of.input;
            input.same_as = made_of.given_as;
            if (!input.from_outside) return nullptr;
            if (made_of.given_as < 0) {
                made_of.given_as = int(made->inputs.size());
                --unexplained;
            }
        }
        made->inputs.push_back(input);
    }
    if (unexplained > 0) return nullptr;
    for (const Variable& y : outputs) {
        const ArrayBody* body = y.array().body();
        if (body->pending != this || body->value < first || !is_plain(*y.body()) ||
            !(slots_[size_t(body->value)].array == y.array()))
            return nullptr;
        made->outputs.push_back(body->value);
    }
    return made;
}

void Follower::end_body(const OpenComposite& open, std::span<const Variable> outputs) {
    std::unique_ptr<KnownBody> made = made_body(open, outputs);
    const BodyRecording& r = open.recording;
    if (!r.expected) {
        if (!made) return;
        std::lock_guard lock(tree_->mutex);
        tree_->grow(*r.at, std::move(made));
        return;
    }
    const bool is_same = made && r.expected->did_the_same(*made);
    r.expected->state = is_same ? KnownState::confirmed : KnownState::refuted;
    if (!is_same && known_steps_are_checked())
        throw InternalError(fmt::format(
            "static_graph {}: the body of {} did something else than before with what it was given",
            rules_.region, open.op->name));
}

}  // namespace catena::capture
