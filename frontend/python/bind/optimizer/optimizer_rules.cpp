#include <nanobind/stl/string.h>

#include <memory>

#include <fmt/ranges.h>

#include "frontend/optimizer/rules/ada_delta.h"
#include "frontend/optimizer/rules/ada_grad.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/optimizer/rules/msvag.h"
#include "frontend/optimizer/rules/rmsprop.h"
#include "frontend/optimizer/rules/sgd.h"
#include "frontend/optimizer/rules/smorms3.h"
#include "frontend/python/bind/convert/converted.h"
#include "frontend/python/bind/module.h"
#include "frontend/python/bind/optimizer/optimizer_parts.h"

namespace catena::python {
namespace {

/// The arguments of a rule that are no numbers: which form it takes.
struct RuleFlags {
    std::vector<std::pair<const char*, bool>> of;

    void take(nb::kwargs& keywords) {
        for (auto& [name, is_on] : of)
            if (keywords.contains(name)) {
                is_on = converted<bool>(name, keywords[name], "a bool");
                nb::del(keywords[name]);
            }
    }
};

template <class Rule>
RuleFlags rule_flags() {
    if constexpr (std::same_as<Rule, RMSprop>) return {{{"eps_inside_sqrt", false}}};
    if constexpr (std::same_as<Rule, Adam> || std::same_as<Rule, AdamW>)
        return {{{"amsgrad", false}, {"adabound", false}, {"decay_by_alpha", false}}};
    if constexpr (std::derived_from<Rule, Adam>) return {{{"decay_by_alpha", false}}};
    return {};
}

/// A rule that `make` makes of what the constructor of a rule takes for these flags.
template <class Rule, class Make>
auto with_options(const RuleFlags& on, Make make) {
    if constexpr (std::same_as<Rule, RMSprop>)
        return make(RMSpropOptions{.eps_inside_sqrt = on.of[0].second});
    else if constexpr (std::same_as<Rule, Adam> || std::same_as<Rule, AdamW>)
        return make(AdamOptions{.amsgrad = on.of[0].second,
                                .adabound = on.of[1].second,
                                .decay_by_alpha = on.of[2].second});
    else if constexpr (std::derived_from<Rule, Adam>)
        return make(AdamOptions{.decay_by_alpha = on.of[0].second});
    else
        return make();
}

std::vector<std::string> names_of_numbers(std::span<const Cell> cells) {
    std::vector<std::string> names;
    for (const Cell& cell : cells) names.emplace_back(cell.name());
    return names;
}

double number_for(const std::string& rule, const char* name, nb::handle value) {
    double number = 0;
    if (!nb::try_cast(value, number))
        throw nb::type_error(
            fmt::format("{}: {} should be a number, it is {} (parameters are for setup())", rule,
                        name, Py_TYPE(value.ptr())->tp_name)
                .c_str());
    return number;
}

/// The numbers of a new rule, by position in the order of hyperparameters(), or by name.
void set_numbers(const Optimizer& rule, nb::args given, nb::kwargs keywords) {
    std::vector<Cell> cells = rule.hyperparameters();
    const auto refuse = [&](const std::string& what) {
        throw nb::type_error(fmt::format("{}() {}; its arguments are: {}", rule.type_name(), what,
                                         fmt::join(names_of_numbers(cells), ", "))
                                 .c_str());
    };
    if (given.size() > cells.size())
        refuse(fmt::format("takes at most {} arguments by position, {} were given", cells.size(),
                           given.size()));
    for (size_t i = 0; i < given.size(); ++i)
        cells[i] = number_for(rule.type_name(), cells[i].name(), given[i]);
    for (const auto& [key, value] : keywords) {
        const std::string name = to_string(key.ptr());
        size_t k = 0;
        while (k < cells.size() && name != cells[k].name()) ++k;
        if (k == cells.size()) refuse(fmt::format("has no argument '{}'", name));
        if (k < given.size()) refuse(fmt::format("got '{}' twice", name));
        cells[k] = number_for(rule.type_name(), cells[k].name(), value);
    }
}

/// The object remembers its flags for its copies.
template <class Rule>
void construct_rule(nb::pointer_and_handle<Rule> self, nb::args given, nb::kwargs keywords) {
    RuleFlags on = rule_flags<Rule>();
    on.take(keywords);
    with_options<Rule>(on, [&](const auto&... options) { new (self.p) Rule(options...); });
    try {
        set_numbers(*self.p, given, keywords);
        nb::dict flags;
        for (const auto& [flag, is_on] : on.of) flags[flag] = is_on;
        self.h.attr("_flags") = flags;
    } catch (...) {
        self.p->~Rule();
        throw;
    }
}

const Cell* find_number(std::span<const Cell> cells, std::string_view name) {
    for (const Cell& cell : cells)
        if (cell.name() == name) return &cell;
    return nullptr;
}

/// The number of a rule that an attribute stands for.
Cell number_of(const Optimizer& rule, const char* name) {
    const std::vector<Cell> cells = rule.hyperparameters();
    if (const Cell* found = find_number(cells, name)) return *found;
    throw nb::attribute_error(fmt::format("this {} has no number '{}'; it has: {}",
                                          rule.type_name(), name,
                                          fmt::join(names_of_numbers(cells), ", "))
                                  .c_str());
}

/// A class of Python whose arguments and attributes are the numbers and flags of the rule.
template <class Rule>
void bind_rule(nb::module_& m, const char* text) {
    RuleFlags on = rule_flags<Rule>();
    const auto make = [](const auto&... options) { return std::make_unique<Rule>(options...); };
    const auto usual = with_options<Rule>(on, make);
    // Their names are kept by the type, which lives as long as the process.
    const std::string& name = *new std::string(usual->type_name());
    nb::class_<Rule, Optimizer> type(m, name.c_str(), text);
    type.def("__init__", construct_rule<Rule>, nb::arg("args"), nb::arg("kwargs"));
    nb::dict parameters;
    for (const Cell& cell : usual->hyperparameters()) parameters[cell.name()] = cell.value();
    for (auto& [flag, is_on] : on.of) {
        parameters[flag] = is_on;
        is_on = true;
    }
    for (const Cell& cell : with_options<Rule>(on, make)->hyperparameters()) {
        const char* const number = cell.name();  // A literal.
        type.def_prop_rw(
            number, [=](const Rule& self) { return read_number(number_of(self, number).value()); },
            [=](Rule& self, double value) { set_number(number_of(self, number), value); },
            "A number of the rule; a new one holds from the next update on.");
    }
    type.attr("_parameters") = parameters;
}

}  // namespace

void bind_update_rules(nb::module_& m) {
    bind_rule<SGD>(m, "p -= lr g: stochastic gradient descent with the learning rate lr.");
    bind_rule<MomentumSGD>(m,
                           "v = momentum v - lr g;  p += v\n\n"
                           "lr is the learning rate, momentum how much of the last step stays.");
    bind_rule<CorrectedMomentumSGD>(
        m,
        "v = momentum v - g;  p += lr v\n\n"
        "The learning rate lr is outside of v, so a changed one acts at once on all of the step.");
    bind_rule<NesterovAG>(m,
                          "v = momentum v - lr g;  p += momentum^2 v - (1 + momentum) lr g\n\n"
                          "Nesterov's accelerated gradient, https://arxiv.org/abs/1212.0901.");
    bind_rule<Adam>(
        m,
        "m += (1 - beta1) (g - m);  v += (1 - beta2) (g^2 - v)\n\n"
        "p -= eta (alpha_t / (sqrt(v) + eps) m + weight_decay_rate p),\n"
        "alpha_t = alpha sqrt(1 - beta2^t) / (1 - beta1^t). With decay_by_alpha the "
        "decay is multiplied by alpha,\nas in PyTorch's AdamW.\n\n"
        "amsgrad: the largest v so far stands for v. adabound: alpha_t / (sqrt(v) + eps) "
        "is kept between\nf (1 - 1 / (gamma t + 1)) and f (1 + 1 / (gamma t)), where f "
        "is final_lr alpha / (alpha at setup).\n\n"
        "Kingma and Ba 2014, \"Adam: A Method for Stochastic Optimization\".");
    bind_rule<AdamW>(
        m,
        "Adam with decoupled weight decay, under its usual name; weight_decay_rate is 0 "
        "unless given\n(Loshchilov and Hutter 2017).");
    bind_rule<AMSGrad>(
        m, "Adam with the largest v so far, https://openreview.net/forum?id=ryQu7f-RZ.");
    bind_rule<AdaBound>(m,
                        "Adam whose rates are kept between limits that meet at final_lr,\n"
                        "https://openreview.net/forum?id=Bkg3g2R9FX.");
    bind_rule<AMSBound>(m, "AdaBound with the largest v so far, as AMSGrad has it.");
    bind_rule<AdaGrad>(m,
                       "h += g^2;  p -= lr g / (sqrt(h) + eps)\n\n"
                       "Duchi et al. 2011, http://jmlr.org/papers/v12/duchi11a.html.");
    bind_rule<AdaDelta>(m,
                        "msg = rho msg + (1 - rho) g^2;  dx = sqrt((msdx + eps) / (msg + eps)) g\n"
                        "msdx = rho msdx + (1 - rho) dx^2;  p -= dx\n\n"
                        "Without a learning rate; Zeiler 2012, https://arxiv.org/abs/1212.5701.");
    bind_rule<RMSprop>(m,
                       "ms = alpha ms + (1 - alpha) g^2;  p -= lr g / (sqrt(ms) + eps)\n\n"
                       "With eps_inside_sqrt, lr g / sqrt(ms + eps) (Tieleman and Hinton 2012).");
    bind_rule<RMSpropGraves>(
        m,
        "n = alpha n + (1 - alpha) g^2;  m = alpha m + (1 - alpha) g\n"
        "delta = momentum delta - lr g / sqrt(n - m^2 + eps);  p += delta\n\n"
        "RMSprop by the deviation; Graves 2013, https://arxiv.org/abs/1308.0850.");
    bind_rule<SMORMS3>(
        m,
        "r = 1 / (mem + 1);  m += r (g - m);  g2 += r (g^2 - g2);  x = m^2 / (g2 + eps)\n"
        "p -= g min(x, lr) / (sqrt(g2) + eps);  mem = 1 + mem (1 - x)\n\n"
        "Simon Funk's, http://sifter.org/~simon/journal/20150420.html.");
    bind_rule<MSVAG>(m,
                     "M-SVAG: momentum scaled by how much of the gradient is signal;\n"
                     "Balles and Hennig 2017, https://arxiv.org/abs/1705.07774.");
}

}  // namespace catena::python
