#include "tests/fuzz/random_host_program.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "runtime/core/system/error.h"
#include "runtime/ops/noise/random.h"
#include "tests/fuzz/host_machine.h"

namespace catena::fuzz {
namespace {

using When = Action::When;

struct Choice {
    Act act;
    int weight;
};

constexpr Choice on_values[] = {{Act::layer, 12},         {Act::activation, 10},
                                {Act::scale, 4},          {Act::scale_by_counter, 3},
                                {Act::loop, 5},           {Act::axis_by_counter, 6},
                                {Act::drop, 4},           {Act::noise, 2},
                                {Act::host_noise, 3},     {Act::batch_norm, 4},
                                {Act::recur, 3},          {Act::host_variable, 4},
                                {Act::convert, 2},        {Act::use_state, 3},
                                {Act::use_kept, 1},       {Act::use_kept_array, 3},
                                {Act::unchain, 1},        {Act::branch_on_value, 4},
                                {Act::pointer_write, 1},  {Act::write_element, 2},
                                {Act::take_pointer, 2},   {Act::write_by_pointer, 3},
                                {Act::look_at_memory, 3}, {Act::keep, 4},
                                {Act::read_value, 3},     {Act::update_state, 4},
                                {Act::replace_state, 3},  {Act::throw_here, 1},
                                {Act::catch_here, 2},     {Act::test_mode, 2},
                                {Act::no_graph, 1},       {Act::inner_region, 5}};

constexpr Choice after_backward[] = {
    {Act::update, 4},         {Act::update_by_hand, 3}, {Act::set_by_hand, 3},
    {Act::edit_gradients, 3}, {Act::read_gradient, 1},  {Act::average_weights, 4},
    {Act::freeze, 2},         {Act::thaw, 2},           {Act::add_decay, 2},
    {Act::add_clipping, 2},   {Act::remove_hooks, 2},   {Act::rate, 3},
    {Act::set_up_again, 1},   {Act::replace_layer, 1},  {Act::keep, 2},
    {Act::read_value, 2},     {Act::update_state, 2},   {Act::replace_state, 2},
    {Act::throw_here, 1},     {Act::clear, 1}};

constexpr Choice between_calls[] = {{Act::clear, 6},
                                    {Act::clear_layer, 2},
                                    {Act::freeze, 3},
                                    {Act::thaw, 3},
                                    {Act::add_decay, 3},
                                    {Act::add_clipping, 3},
                                    {Act::remove_hooks, 3},
                                    {Act::rate, 4},
                                    {Act::loss_scale, 2},
                                    {Act::set_up_again, 2},
                                    {Act::replace_layer, 3},
                                    {Act::other_optimizer, 2},
                                    {Act::reset_recurrence, 3},
                                    {Act::reseed, 2},
                                    {Act::backward_outside, 3},
                                    {Act::gradient_outside, 3},
                                    {Act::call_inner, 4},
                                    {Act::fewer_rows, 5},
                                    {Act::bad_labels, 2},
                                    {Act::debug_call, 1},
                                    {Act::test_call, 3},
                                    {Act::eager_call, 2},
                                    {Act::update, 1},
                                    {Act::update_by_hand, 1},
                                    {Act::write_element, 3},
                                    {Act::edit_gradients, 1}};

bool is_scope(Act act) {
    return act == Act::test_mode || act == Act::no_graph || act == Act::inner_region;
}

class Generator {
public:
    explicit Generator(uint64_t seed) : random_(seed * 2654435761u + 17) {}
    int below(int n) { return int(random_() % uint64_t(n)); }
    bool chance(int percent) { return below(100) < percent; }

    Action action(std::span<const Choice> choices) {
        int total = 0;
        for (const Choice& c : choices) total += c.weight;
        int at = below(total);
        Action a;
        for (const Choice& c : choices)
            if ((at -= c.weight) < 0) {
                a.act = c.act;
                break;
            }
        a.which = is_scope(a.act) ? 1 + below(3) : below(8);
        a.number = 0.25 * (1 + below(5));
        return a;
    }
    Action sometimes(Action a, int percent) {
        // An exception or a bad label at every call would hide the rest.
        if (a.act == Act::throw_here || a.act == Act::bad_labels || a.act == Act::replace_layer)
            percent = 100;
        if (!chance(percent)) return a;
        a.when = below(4) == 0 ? When::from : below(4) == 0 ? When::chance : When::every;
        if (a.act == Act::throw_here || a.act == Act::bad_labels || a.act == Act::replace_layer)
            a.when = When::every;
        a.period = 2 + below(4);
        a.phase = below(5);
        return a;
    }

private:
    std::mt19937_64 random_;
};

void print(std::string& text, const char* title, const std::vector<Action>& actions) {
    text += fmt::format("  {}:\n", title);
    for (const Action& a : actions) {
        text += fmt::format("    {}({}, {})", name_of(a.act), a.which, a.number);
        if (a.when == When::every)
            text += fmt::format(" when call % {} == {}", a.period, a.phase % a.period);
        if (a.when == When::from) text += fmt::format(" from call {}", a.phase);
        if (a.when == When::chance) text += fmt::format(" with chance 1/{}", a.period);
        text += "\n";
    }
}

/// Runs calls until the program asks for too large numbers; how many there were.
int run(const HostProgram& program, testing::Side& side, Fault fault, std::string& trace_error,
        Outcome* outcome) {
    // Scopes, seeds and hooks must not reach from one run to the next.
    const Config before = config();
    set_seed(int64_t(program.seed));
    auto dtype = using_config(&Config::dtype, program.wide ? Dtype::float64 : Dtype::float32);
    HostMachine machine(program, side, fault);
    int calls = 0;
    try {
        for (; calls < program.calls && machine.moderate(); ++calls) machine.call(calls);
    } catch (const TraceError& error) {
        trace_error = error.what();
    }
    if (outcome) machine.count(*outcome);
    if (config().debug != before.debug || config().train != before.train ||
        config().use_static_graph != before.use_static_graph)
        throw std::logic_error("a program left the settings changed");
    return calls;
}

/// How far each element of `plain` moves when the inputs are rounded otherwise, in runs that show
/// the same values in the same order.
void note_spreads(const HostProgram& program, std::vector<testing::Sighting>& plain) {
    for (uint32_t rounding = 1; rounding <= 6; ++rounding) {
        HostProgram other = program;
        other.rounding = rounding;
        std::string none;
        testing::Side side;
        run(other, side, Fault::none, none, nullptr);
        for (size_t i = 0; i < std::min(plain.size(), side.sightings().size()); ++i) {
            testing::Sighting& s = plain[i];
            const testing::Sighting& o = side.sightings()[i];
            if (o.name != s.name || o.kind != s.kind || o.elements.size() != s.elements.size())
                break;  // It took another branch.
            for (size_t k = 0; k < s.elements.size(); ++k)
                if (std::isfinite(o.elements[k] - s.elements[k]))
                    s.spread = std::max(s.spread, std::abs(o.elements[k] - s.elements[k]));
        }
    }
}

/// What differs first, without call and values: a smaller program that differs elsewhere shows
/// something else.
std::string subject(const std::string& difference) {
    const std::string line = difference.substr(0, difference.find('\n'));
    const size_t colon = line.find(": ");
    if (colon == line.npos) return line;
    const std::string rest = line.substr(colon + 2);
    if (const size_t at = rest.find(" at element"); at != rest.npos) return rest.substr(0, at);
    return rest.substr(0, 40);
}

}  // namespace

std::string_view name_of(Act act) {
    static constexpr const char* names[] = {"layer",
                                            "activation",
                                            "scale",
                                            "scale_by_counter",
                                            "loop",
                                            "axis_by_counter",
                                            "drop",
                                            "noise",
                                            "host_noise",
                                            "batch_norm",
                                            "recur",
                                            "host_variable",
                                            "convert",
                                            "use_state",
                                            "use_kept",
                                            "use_kept_array",
                                            "unchain",
                                            "branch_on_value",
                                            "pointer_write",
                                            "write_element",
                                            "take_pointer",
                                            "write_by_pointer",
                                            "look_at_memory",
                                            "keep",
                                            "read_value",
                                            "update_state",
                                            "replace_state",
                                            "average_weights",
                                            "throw_here",
                                            "catch_here",
                                            "square_loss",
                                            "label_loss",
                                            "bad_labels",
                                            "clear",
                                            "clear_layer",
                                            "backward",
                                            "update",
                                            "update_by_hand",
                                            "set_by_hand",
                                            "edit_gradients",
                                            "read_gradient",
                                            "cut_history",
                                            "freeze",
                                            "thaw",
                                            "add_decay",
                                            "add_clipping",
                                            "remove_hooks",
                                            "rate",
                                            "loss_scale",
                                            "set_up_again",
                                            "replace_layer",
                                            "other_optimizer",
                                            "reset_recurrence",
                                            "reseed",
                                            "test_mode",
                                            "no_graph",
                                            "inner_region",
                                            "backward_outside",
                                            "gradient_outside",
                                            "call_inner",
                                            "fewer_rows",
                                            "debug_call",
                                            "test_call",
                                            "eager_call"};
    static_assert(std::size(names) == act_count);
    return names[size_t(act)];
}

HostProgram random_host_program(uint64_t seed) {
    Generator g(seed);
    HostProgram p{.seed = seed, .before = {}, .forward = {}, .rest = {}};
    p.layers = 1 + g.below(3);
    p.wide = g.chance(88);
    // Rounding of single precision, divided by itself, is not small.
    p.optimizing = HostProgram::Optimizing(p.wide ? g.below(3) : g.below(2));
    p.calls = p.wide ? 5 + g.below(8) : 4;
    p.wrapped = g.chance(60) ? HostProgram::Wrapped::step : HostProgram::Wrapped(1 + g.below(2));
    p.mode = g.chance(60)   ? CompileMode::now
             : g.chance(60) ? CompileMode::later
                            : CompileMode::background;
    p.keep_grads = g.chance(65);

    for (int k = 2 + g.below(6); k > 0; --k)
        p.forward.push_back(g.sometimes(g.action(on_values), 35));
    p.forward.push_back({.act = Act::layer, .which = g.below(3)});

    auto always = [&](Act act) {
        p.rest.push_back({.act = act, .which = g.below(8), .number = 0.25 * (1 + g.below(4))});
    };
    for (int k = g.below(2); k > 0; --k) p.rest.push_back(g.sometimes(g.action(on_values), 40));
    always(g.chance(60) ? Act::square_loss : Act::label_loss);
    if (g.chance(70)) {  // Without gradients, arrays may be written by pointers.
        // Accumulating into gradients that were used up is refused.
        if (!p.keep_grads || g.chance(70)) always(Act::clear);
        always(Act::backward);
        for (const Action& a : p.forward)
            if ((a.act == Act::recur || a.act == Act::use_kept) && g.chance(92)) {
                always(Act::cut_history);
                break;
            }
        if (g.chance(75)) p.rest.push_back(g.sometimes({.act = Act::update}, 25));
    }
    for (int k = g.below(4); k > 0; --k) {
        Action a = g.sometimes(g.action(after_backward), 50);
        const bool reads = a.act == Act::read_gradient || a.act == Act::edit_gradients ||
                           a.act == Act::update || a.act == Act::update_by_hand ||
                           a.act == Act::set_by_hand;
        if (reads && !p.keep_grads) continue;
        p.rest.push_back(a);
    }
    for (int k = g.below(5); k > 0; --k) {
        Action a = g.sometimes(g.action(between_calls), 80);
        const bool reads = a.act == Act::update || a.act == Act::update_by_hand ||
                           a.act == Act::edit_gradients || a.act == Act::backward_outside;
        if (reads && !p.keep_grads) a.act = Act::clear;
        if (a.act == Act::other_optimizer && !p.wide) a.which = g.below(2);
        p.before.push_back(a);
    }
    return p;
}

std::string to_string(const HostProgram& p) {
    std::string text = fmt::format(
        "host program {}: {} layers, {}, optimizer {}, {}, compile mode {}, keep_grads {}, {} "
        "calls\n",
        p.seed, p.layers, p.wide ? "float64" : "float32", int(p.optimizing),
        p.wrapped == HostProgram::Wrapped::step      ? "the step is the region"
        : p.wrapped == HostProgram::Wrapped::forward ? "forward is the region"
                                                     : "a region in a region",
        testing::name_of(p.mode), p.keep_grads, p.calls);
    print(text, "before each call", p.before);
    print(text, "forward", p.forward);
    print(text, "the rest of the step", p.rest);
    return text;
}

Outcome compare(const HostProgram& program, Fault fault) {
    Outcome outcome;
    std::string none;
    testing::Side plain, compiled(CompileMode::now);
    // The plain run says how many calls there are; it must not depend on rounding.
    HostProgram same = program;
    same.calls = run(program, plain, Fault::none, none, nullptr);
    if (!none.empty()) {
        outcome.difference = "the plain run throws " + none;
        return outcome;
    }
    for (const testing::Sighting& s : plain.sightings())
        outcome.errors += s.name == "error" && s.text != "none";
    try {
        outcome.calls = run(same, compiled, fault, outcome.trace_error, &outcome);
    } catch (const std::exception& error) {
        outcome.difference =
            fmt::format("call {}: the compiled run throws {}\n", compiled.call(), error.what());
        return outcome;
    }
    std::vector<testing::Sighting> expected = plain.sightings();
    if (!outcome.trace_error.empty())
        expected.resize(std::min(expected.size(), compiled.sightings().size()));
    const testing::Nearness nearness{.float32 = program.wide ? 1e-5 : 2e-3, .float64 = 1e-6};
    outcome.difference = testing::difference(expected, compiled.sightings(), nearness);
    if (outcome.difference.empty()) return outcome;
    note_spreads(same, expected);
    outcome.difference = testing::difference(expected, compiled.sightings(), nearness);
    return outcome;
}

HostProgram minimal(const HostProgram& program, Fault fault) {
    HostProgram best = program;
    const std::string same = subject(compare(program, fault).difference);
    auto fails = [&](const HostProgram& p) {
        const std::string found = compare(p, fault).difference;
        return !found.empty() && subject(found) == same;
    };
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (std::vector<Action> HostProgram::* list :
             {&HostProgram::before, &HostProgram::rest, &HostProgram::forward}) {
            for (size_t i = (best.*list).size(); i-- > 0;) {
                HostProgram p = best;
                (p.*list).erase((p.*list).begin() + std::ptrdiff_t(i));
                if (fails(p)) best = p, smaller = true;
            }
        }
        for (auto change : {+[](HostProgram& p) { --p.calls; },
                            +[](HostProgram& p) { p.mode = CompileMode::now; },
                            +[](HostProgram& p) { p.keep_grads = true; },
                            +[](HostProgram& p) { p.optimizing = HostProgram::Optimizing::sgd; },
                            +[](HostProgram& p) { p.layers = 1; },
                            +[](HostProgram& p) { p.wrapped = HostProgram::Wrapped::step; }}) {
            HostProgram p = best;
            change(p);
            if (p.calls > 0 && to_string(p) != to_string(best) && fails(p))
                best = p, smaller = true;
        }
    }
    return best;
}

}  // namespace catena::fuzz
