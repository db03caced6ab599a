// The n-step functions by name: their lists of arrays one after another.
#include "runtime/core/system/error.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/rnn/n_step.h"

namespace catena {
namespace {

/// hx(, cx), then the weights of all layers, as many biases, and the steps.
struct Lists {
    Variable hx, cx;
    NStepWeights ws, bs;
    std::span<const Variable> xs;
};

Lists lists_of(const char* function, const FunctionArguments& a, int64_t directions, size_t arrays,
               bool has_memory) {
    const std::span<const Variable> all = a.list();
    const int64_t n_layers = a.integer("n_layers");
    if (n_layers < 1)
        fail<ValueError>("{}: n_layers should be 1 or more, it is {}", function, n_layers);
    const size_t layers = size_t(n_layers * directions), states = has_memory ? 2 : 1,
                 before = states + 2 * layers * arrays;
    if (all.size() <= before)
        fail<ValueError>(
            "{}: {} arrays given; hx, {}{} weights, as many biases and the steps xs are needed",
            function, all.size(), has_memory ? "cx, " : "", layers * arrays);
    Lists lists{all[0], has_memory ? all[1] : Variable(), {}, {}, all.subspan(before)};
    const auto list = [&](size_t k) {
        const auto begin = all.begin() + std::ptrdiff_t(states + k * arrays);
        return std::vector<Variable>(begin, begin + std::ptrdiff_t(arrays));
    };
    for (size_t k = 0; k < layers; ++k) {
        lists.ws.push_back(list(k));
        lists.bs.push_back(list(layers + k));
    }
    return lists;
}

NStepActivation activation_of(const char* function, const std::string& text) {
    constexpr std::string_view names =
        "'tanh' or 'relu'";  // One text: these are not the ops of these names.
    if (text == names.substr(1, 4)) return NStepActivation::tanh;
    if (text == names.substr(11, 4)) return NStepActivation::relu;
    fail<ValueError>("{}: activation is '{}' and should be {}", function, text, names);
}

EndsInList flat(const NStepResult& y) {
    Variables all{y.hy};
    for (const Variable& step : y.ys) all.push_back(step);
    return {std::move(all), 1};
}
EndsInList flat(const NStepLstmResult& y) {
    Variables all{y.hy, y.cy};
    for (const Variable& step : y.ys) all.push_back(step);
    return {std::move(all), 2};
}

template <auto f>
const FunctionDef& plain(const char* name, int64_t directions) {
    return function(
        std::string(name) + "(n_layers, dropout_ratio, hx, ws, bs, xs, activation='tanh')",
        {"hx", "*ws", "*bs", "*xs"}, [=](const FunctionArguments& a) {
            const Lists l = lists_of(name, a, directions, 2, false);
            return flat(f(a.integer("n_layers"), a.number("dropout_ratio"), l.hx, l.ws, l.bs, l.xs,
                          activation_of(name, a.text("activation"))));
        });
}
template <auto f>
const FunctionDef& gated(const char* name, int64_t directions) {
    return function(std::string(name) + "(n_layers, dropout_ratio, hx, ws, bs, xs)",
                    {"hx", "*ws", "*bs", "*xs"}, [=](const FunctionArguments& a) {
                        const Lists l = lists_of(name, a, directions, 6, false);
                        return flat(f(a.integer("n_layers"), a.number("dropout_ratio"), l.hx, l.ws,
                                      l.bs, l.xs));
                    });
}
template <auto f>
const FunctionDef& with_memory(const char* name, int64_t directions) {
    return function(std::string(name) + "(n_layers, dropout_ratio, hx, cx, ws, bs, xs)",
                    {"hx", "cx", "*ws", "*bs", "*xs"}, [=](const FunctionArguments& a) {
                        const Lists l = lists_of(name, a, directions, 8, true);
                        return flat(f(a.integer("n_layers"), a.number("dropout_ratio"), l.hx, l.cx,
                                      l.ws, l.bs, l.xs));
                    });
}

const FunctionDef& f_rnn = plain<n_step_rnn>("n_step_rnn", 1);
const FunctionDef& f_birnn = plain<n_step_birnn>("n_step_birnn", 2);
const FunctionDef& f_gru = gated<n_step_gru>("n_step_gru", 1);
const FunctionDef& f_bigru = gated<n_step_bigru>("n_step_bigru", 2);
const FunctionDef& f_n_step_lstm = with_memory<n_step_lstm>("n_step_lstm", 1);
const FunctionDef& f_bilstm = with_memory<n_step_bilstm>("n_step_bilstm", 2);

}  // namespace
}  // namespace catena
