#include "runtime/ops/rnn/recurrent_elements.h"

#include <fmt/format.h>

#include "runtime/core/system/error.h"
#include "runtime/ops/rnn/recurrent_steps.h"

namespace catena {
namespace {

/// The arrays' numbers as in recurrent_layer.cpp, written @name in the texts below, and the place
/// of gate k, written @k.
std::string with_places(RecurrentCell cell, const GatePlaces& gates, std::string text) {
    const CellWidths widths = widths_of(cell);
    const int memory = widths.has_memory;
    const auto replace = [&](const std::string& name, const std::string& by) {
        for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
            text.replace(at, name.size(), by);
    };
    for (int gate = 0; gate < 4; ++gate)
        replace("@" + std::to_string(gate), std::to_string(gates[gate]));
    replace("@R", std::to_string(2 + memory));
    replace("@b", std::to_string(3 + memory));
    replace("@lengths", std::to_string(4 + memory));
    replace("@kept", std::to_string(2 + memory));           // of the outputs
    replace("@what_was_kept", std::to_string(5 + memory));  // of the gradient's inputs
    replace("@gy", std::to_string(6 + memory));
    replace("@gh", std::to_string(7 + memory));
    replace("@gc", std::to_string(8 + memory));
    return text;
}

/// The packed rows: of each its row in x, and the packed rows of its sequence's steps before and
/// after it (none: -1).
constexpr const char* find_rows = R"(
        const i64 batch = x1_size[0], total = x0_size[0];
        i64 sum = 0, n = 0;
        bool right = true;
        for (i64 k = 0; k < batch; ++k) {
            right = place_in(v@lengths(k), 0, total + 1, false) >= 0 && right;
            scratch[offset + k] = sum;
            sum += v@lengths(k);
            i64 rank = 0;
            for (i64 j = 0; j < batch; ++j)
                if (v@lengths(j) > v@lengths(k) || (v@lengths(j) == v@lengths(k) && j < k)) ++rank;
            scratch[sorted + rank] = k;
            scratch[first + k] = -1;
            scratch[last + k] = -1;
        }
        right = place_in(sum, 0, total + 1, false) >= 0 && right;
        const i64 steps = right && batch > 0 ? v@lengths(scratch[sorted]) : 0;
        for (i64 t = 0; t < steps; ++t) {
            scratch[starts + t] = n;
            for (i64 k = 0; k < batch; ++k)
                if (v@lengths(k) > t) ++n;
        }
        scratch[longest] = steps;
        scratch[known] = n;
        n = 0;
        for (i64 t = 0; t < steps; ++t)
            for (i64 r = 0; r < batch && v@lengths(scratch[sorted + r]) > t; ++r) {
                const i64 b = scratch[sorted + r], step = reverse ? v@lengths(b) - 1 - t : t, previous = scratch[last + b];
                scratch[rows + n] = order == 1 ? scratch[starts + step] + r : scratch[offset + b] + step;
                scratch[before + n] = previous;
                scratch[after + n] = -1;
                if (previous >= 0) scratch[after + previous] = n;
                if (previous < 0) scratch[first + b] = n;
                scratch[last + b] = n;
                ++n;
            })";

// One thread computes all steps of sequence b = i. Many compute step t, each unit u of a sequence
// b; n is the packed row.
constexpr const char* all_steps = R"(
        const i64 b = i;
        for (i64 n = scratch[first + b]; n >= 0; n = scratch[after + n])
            for (i64 u = 0; u < units; ++u) {)";
constexpr const char* all_steps_back = R"(
        const i64 b = i;
        for (i64 n = scratch[last + b]; n >= 0; n = scratch[before + n]) {
            for (i64 u = 0; u < units; ++u) {)";
constexpr const char* one_step = R"(
        const i64 r = i / units, u = i % units, there = t < scratch[longest] ? scratch[starts + t] : 0;
        const i64 end = t + 1 < scratch[longest] ? scratch[starts + t + 1] : scratch[known];
        if (t < scratch[longest] && there + r < end) {
            const i64 n = there + r, b = scratch[sorted + r];
            {)";

/// Sums of the gates of a unit, as they stand in R, then the cell; the states stand last in what is
/// kept.
constexpr const char* forward_sizes = R"(
        const i64 units = x1_size[1], gates = x0_size[1], width = y@kept_size[1], h = width - units;
        auto sigmoid = [=](double v) -> double { return 1 / (1 + exp(-v)); };)";
constexpr const char* forward_sums = R"(
                const i64 from = scratch[before + n], row = scratch[rows + n], at = n * width + u;
                for (i64 g = u; g < gates; g += units) {
                    T sum = x@b(g);
                    for (i64 k = 0; k < units; ++k)
                        sum += (from < 0 ? x1(b * units + k) : q@kept[from * width + h + k]) * x@R(g * units + k);
                    q@kept[n * width + g] = sum;
                })";
constexpr const char* forward_result = R"(
                y0(row * units + u, q@kept[at + h]);)";
constexpr const char* last_states = R"(
        const i64 units = x1_size[1], width = y@kept_size[1], h = width - units, b = i / units, u = i % units, end = scratch[last + b];
        y1(i, end < 0 ? x1(i) : q@kept[end * width + h + u]);)";
constexpr const char* last_memory = R"(
        y2(i, end < 0 ? x2(i) : q@kept[end * width + h - units + u]);)";

std::string forward_cell(RecurrentCell cell) {
    switch (cell) {
        case RecurrentCell::tanh:
            return R"(
                q@kept[at] = T(tanh(double(q@kept[at] + x0(row * gates + u))));)";
        case RecurrentCell::relu:
            return R"(
                const T v = q@kept[at] + x0(row * gates + u);
                q@kept[at] = v < 0 ? T(0) : v;)";
        case RecurrentCell::gru:
            return R"(
                const T old = from < 0 ? x1(b * units + u) : q@kept[from * width + h + u];
                const T r_gate = T(sigmoid(double(q@kept[at + @0 * units] + x0(row * gates + @0 * units + u))));
                const T z = T(sigmoid(double(q@kept[at + @1 * units] + x0(row * gates + @1 * units + u))));
                const T a = T(tanh(double(x0(row * gates + 2 * units + u) + r_gate * q@kept[at + 2 * units])));
                q@kept[at] = r_gate;
                q@kept[at + units] = z;
                q@kept[at + 3 * units] = a;
                q@kept[at + 4 * units] = (1 - z) * a + z * old;)";
        case RecurrentCell::lstm:
            return R"(
                const T old = from < 0 ? x2(b * units + u) : q@kept[from * width + h - units + u];
                const T input = T(sigmoid(double(q@kept[at + @0 * units] + x0(row * gates + @0 * units + u))));
                const T forget = T(sigmoid(double(q@kept[at + @1 * units] + x0(row * gates + @1 * units + u))));
                const T a = T(tanh(double(q@kept[at + @2 * units] + x0(row * gates + @2 * units + u))));
                const T o = T(sigmoid(double(q@kept[at + @3 * units] + x0(row * gates + @3 * units + u))));
                const T c = a * input + forget * old;
                q@kept[at] = input;
                q@kept[at + units] = forget;
                q@kept[at + 2 * units] = a;
                q@kept[at + 3 * units] = o;
                q@kept[at + 4 * units] = c;
                q@kept[at + 5 * units] = o * T(tanh(double(c)));)";
    }
    CATENA_ASSERT(false, "a cell without a text");
}

/// C code that goes from the last steps to the first: q1 holds the gradients towards h, q2 those
/// towards c.
constexpr const char* first_gradients = R"(
        y1(i, x@gh(i));)";
constexpr const char* first_memory = R"(
        y2(i, x@gc(i));)";
constexpr const char* backward_sizes = R"(
        const i64 units = x1_size[1], gates = x0_size[1], width = x@what_was_kept_size[1], h = width - units;)";
constexpr const char* backward_unit = R"(
                const i64 from = scratch[before + n], row = scratch[rows + n], at = n * width + u, to = row * gates;
                const T upper = q1[b * units + u] + x@gy(row * units + u);
                T direct = 0;)";
/// C code for the gradient through h R^T, when the gates of all units are known.
constexpr const char* backward_product = R"(
                const i64 to = scratch[rows + n] * gates;
                T sum = q1[b * units + u];
                for (i64 g = 0; g < gates; ++g) sum += q0[to + g] * factor(n, g) * x@R(g * units + u);
                q1[b * units + u] = sum;)";

std::string backward_cell(RecurrentCell cell) {
    switch (cell) {
        case RecurrentCell::tanh:
            return R"(
                const T y = x@what_was_kept(at);
                q0[to + u] = upper * (1 - y * y);)";
        case RecurrentCell::relu:
            return R"(
                q0[to + u] = x@what_was_kept(at) > 0 ? upper : T(0);)";
        case RecurrentCell::gru:
            return R"(
                const T old = from < 0 ? x1(b * units + u) : x@what_was_kept(from * width + h + u);
                const T r_gate = x@what_was_kept(at), z = x@what_was_kept(at + units), a = x@what_was_kept(at + 3 * units);
                const T to_a = upper * (1 - z) * (1 - a * a);
                q0[to + @0 * units + u] = to_a * x@what_was_kept(at + 2 * units) * r_gate * (1 - r_gate);
                q0[to + @1 * units + u] = upper * (old - a) * z * (1 - z);
                q0[to + 2 * units + u] = to_a;
                direct = upper * z;)";
        case RecurrentCell::lstm:
            return R"(
                const T old = from < 0 ? x2(b * units + u) : x@what_was_kept(from * width + h - units + u);
                const T input = x@what_was_kept(at), forget = x@what_was_kept(at + units), a = x@what_was_kept(at + 2 * units);
                const T o = x@what_was_kept(at + 3 * units), shaped = T(tanh(double(x@what_was_kept(at + 4 * units))));
                const T cell = q2[b * units + u] + upper * o * (1 - shaped * shaped);
                q0[to + @0 * units + u] = cell * a * input * (1 - input);
                q0[to + @1 * units + u] = cell * old * forget * (1 - forget);
                q0[to + @2 * units + u] = cell * input * (1 - a * a);
                q0[to + @3 * units + u] = upper * shaped * o * (1 - o);
                q2[b * units + u] = cell * forget;)";
    }
    CATENA_ASSERT(false, "a cell without a text");
}
constexpr const char* keep_direct = R"(
                q1[b * units + u] = direct;)";

/// What a gate's gradient is multiplied with on its way to h R^T: gru's last gate enters as r h_a.
std::string factor(RecurrentCell cell) {
    if (cell != RecurrentCell::gru)
        return "\n        auto factor = [=](i64 n, i64 g) -> T { return T(1); };";
    return "\n        auto factor = [=](i64 n, i64 g) -> T { return g < 2 * x1_size[1] ? T(1) : "
           "x@what_was_kept(n * "
           "x@what_was_kept_size[1] + g - 2 * x1_size[1]); };";
}

constexpr const char* weights_sum = R"(
        const i64 units = x1_size[1], gates = x0_size[1], width = x@what_was_kept_size[1], u = i % units, g = i / units;
        T sum = 0;
        for (i64 b = 0; b < x1_size[0]; ++b)
            for (i64 n = scratch[first + b]; n >= 0; n = scratch[after + n]) {
                const i64 from = scratch[before + n];
                const T old = from < 0 ? x1(b * units + u) : x@what_was_kept(from * width + width - units + u);
                sum += q0[scratch[rows + n] * gates + g] * factor(n, g) * old;
            }
        y@R(i, sum);)";
constexpr const char* bias_sum = R"(
        const i64 gates = x0_size[1];
        T sum = 0;
        for (i64 n = 0; n < scratch[known]; ++n) sum += q0[scratch[rows + n] * gates + i] * factor(n, i);
        y@b(i, sum);)";

constexpr const char* end_loop = "\n            }";
constexpr const char* end_both = "\n            }\n        }";

/// Passes that share the packed rows as scratch.
struct Passes {
    RecurrentCell cell;
    GatePlaces gates;
    int64_t total, batch, units;
    ElementProgram program;
    std::vector<std::pair<std::string, int64_t>> places;

    Passes(RecurrentCell cell, const KernelCall& call)
        : cell(cell),
          gates(places_of(call.attributes)),
          total(call.inputs[0].dim(0)),
          batch(call.inputs[1].dim(0)),
          units(call.inputs[1].dim(1)) {
        int64_t at = 0;
        for (const char* name : {"rows", "before", "after", "starts"}) {
            places.emplace_back(name, at);
            at += total;
        }
        for (const char* name : {"first", "last", "sorted", "offset"}) {
            places.emplace_back(name, at);
            at += batch;
        }
        places.emplace_back("known", at);
        places.emplace_back("longest", at + 1);
        program.scratch = at + 2;
        add(find_rows, 1);
    }
    void add(const std::string& text, int64_t count) {
        program.passes.push_back({with_places(cell, gates, text), count, places});
    }
    /// Launches for step t. How many steps there are is a value: no more than rows, and a launch
    /// for none of them ends at once.
    void add_step(const std::string& text, int64_t t) {
        add(text, batch * units);
        program.passes.back().numbers.emplace_back("t", t);
    }
};

}  // namespace

ElementProgram recurrent_elements(RecurrentCell cell, const KernelCall& call, Threads threads) {
    Passes passes(cell, call);
    const std::string sizes = forward_sizes,
                      unit = forward_sums + forward_cell(cell) + forward_result;
    if (threads == Threads::one)
        passes.add(sizes + all_steps + unit + end_loop, passes.batch);
    else
        for (int64_t t = 0; t < passes.total; ++t)
            passes.add_step(sizes + one_step + unit + end_both, t);
    passes.add(std::string(last_states) + (widths_of(cell).has_memory ? last_memory : ""),
               passes.batch * passes.units);
    return passes.program;
}

ElementProgram recurrent_gradient_elements(RecurrentCell cell, const KernelCall& call,
                                           Threads threads) {
    Passes passes(cell, call);
    passes.add(std::string(first_gradients) + (widths_of(cell).has_memory ? first_memory : ""),
               passes.batch * passes.units);
    const std::string sizes = factor(cell) + backward_sizes,
                      unit = backward_unit + backward_cell(cell) + keep_direct;
    if (threads == Threads::one) {
        passes.add(sizes + all_steps_back + unit + end_loop +
                       "\n            for (i64 u = 0; u < units; ++u) {" + backward_product +
                       end_both,
                   passes.batch);
    } else {
        for (int64_t t = passes.total - 1; t >= 0; --t) {
            passes.add_step(sizes + one_step + unit + end_both, t);
            passes.add_step(sizes + one_step + backward_product + end_both, t);
        }
    }
    const int64_t gates = call.inputs[0].dim(1);
    passes.add(factor(cell) + weights_sum, gates * passes.units);
    passes.add(factor(cell) + bias_sum, gates);
    return passes.program;
}

}  // namespace catena
