#include "frontend/capture/path/interpreter.h"

#include <algorithm>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/check_nan.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {
namespace {

/// Whether later steps or the caller read a value that `composite`'s own kernel does not return.
bool only_outputs_leave(const Composite& composite, std::span<const Step* const> inside,
                        const std::vector<char>& wanted, const std::vector<int>& last_use,
                        int last_step) {
    for (const Step* step : inside)
        for (size_t j = 0; j < step->outputs().size(); ++j) {
            const int v = step->first_output + int(j);
            const bool is_output = std::find(composite.outputs.begin(), composite.outputs.end(),
                                             v) != composite.outputs.end();
            if (!is_output && (wanted[size_t(v)] || last_use[size_t(v)] > last_step)) return false;
        }
    return true;
}

}  // namespace

Interpreter::Interpreter(const Segment& segment, const Step* last,
                         std::span<const int> wanted_values)
    : first_value_(segment.first_value),
      value_count_((last ? last->end_value : segment.first_value + segment.arguments) -
                   segment.first_value) {
    const std::vector<const Step*> steps = steps_to(last);
    const size_t end = size_t(first_value_ + value_count_);
    std::vector<char> wanted(end);
    for (int v : wanted_values) wanted[size_t(v)] = 1;
    std::vector<int> last_use(end, -1);
    for (const Step* step : steps)
        for (int v : step->operands()) last_use[size_t(v)] = step->index;

    // Backwards, because composites are stored at their last step.
    std::vector<std::pair<const Step*, const Composite*>> chosen;
    for (size_t s = steps.size(); s > 0;) {
        const Step* step = steps[s - 1];
        const Composite* best = nullptr;
        const auto choose = [&](const Composite& composite) {
            if (composite.steps <= int(s) && (!best || composite.steps > best->steps) &&
                only_outputs_leave(
                    composite,
                    std::span(steps).subspan(s - size_t(composite.steps), size_t(composite.steps)),
                    wanted, last_use, step->index))
                best = &composite;
        };
        if (step->composites)
            for (const auto& composite : *step->composites) choose(*composite);
        chosen.emplace_back(step, best);
        s -= best ? size_t(best->steps) : 1;
    }
    for (size_t i = chosen.size(); i-- > 0;) {
        auto [step, composite] = chosen[i];
        if (composite)
            add(*composite, *steps[size_t(step->index + 1 - composite->steps)]);
        else
            add(*step);
    }
    std::vector<char> used(end);
    for (size_t i = items_.size(); i-- > 0;) {
        Item& item = items_[i];
        auto note = [&](int v) {
            if (!std::exchange(used[size_t(v)], 1) && !wanted[size_t(v)])
                item.last_used.push_back(v);
        };
        for (int v : item.operands) note(v);
        for (int v : item.outputs) note(v);
    }
}

void Interpreter::add(const Step& step) {
    Item& item = items_.emplace_back(Item{step.call->op,
                                          &step.call->attributes,
                                          step.operands(),
                                          step.scalars(),
                                          {},
                                          {},
                                          step.call->location,
                                          step.index,
                                          {}});
    for (size_t j = 0; j < step.outputs().size(); ++j)
        item.outputs.push_back(step.first_output + int(j));
}

void Interpreter::add(const Composite& composite, const Step& first) {
    Item& item = items_.emplace_back(Item{composite.op,
                                          &composite.attributes,
                                          composite.operands,
                                          {},
                                          {},
                                          composite.outputs,
                                          first.call->location,
                                          first.index,
                                          {}});
    for (int k = 0; k < composite.scalar_count; ++k)
        item.composite_scalars.push_back(composite.first_scalar + k);
}

void Interpreter::run(std::span<Array> values, std::span<const double> scalars,
                      int& failed_at) const {
    SmallVector<Array, 4> inputs;
    SmallVector<double, 4> numbers;
    for (const Item& item : items_) {
        failed_at = item.step;
        LocationScope at(item.location);
        inputs.clear();
        numbers.clear();
        for (int v : item.operands) inputs.push_back(values[size_t(v - first_value_)]);
        for (int s : item.scalars) numbers.push_back(scalars[size_t(s)]);
        for (int s : item.composite_scalars) numbers.push_back(scalars[size_t(s)]);
        const DeviceScope beside(inputs.empty() ? current_device() : inputs[0].device());
        Arrays results = run_kernel(*item.op, inputs, *item.attributes, numbers);
        if (config().debug) check_nan(*item.op, results);
        for (size_t o = 0; o < item.outputs.size(); ++o)
            values[size_t(item.outputs[o] - first_value_)] = std::move(results[o]);
        for (int v : item.last_used) values[size_t(v - first_value_)] = Array();
    }
    failed_at = -1;
}

}  // namespace catena::capture
