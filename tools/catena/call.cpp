// catena call: runs a function of the public interface by name, on arrays from files.
#include <algorithm>
#include <iostream>
#include <map>

#include "frontend/serializer/npz.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/file/write_file.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/dot.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/by_name/function.h"
#include "tools/catena/call_inputs.h"
#include "tools/catena/commands.h"
#include "tools/catena/completion.h"
#ifdef CATENA_HAS_ONNX
#include "frontend/onnx/export.h"
#endif

namespace catena::tool {
namespace {

using Settings = NamedValues;

struct CallOptions {
    std::string function;
    std::vector<std::string> inputs;
    std::vector<std::string> settings;
    std::string output;
    std::string onnx, dot;
    bool compiled = false;
    bool test = false, help = false, list = false;
};

Settings parse_settings(const std::vector<std::string>& texts) {
    Settings settings;
    for (const auto& text : texts) {
        const size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos)
            fail<ValueError>("--set {}: write NAME=JSON, as in --set axis=1", text);
        try {
            settings[text.substr(0, equals)] = parse_literal(text.substr(equals + 1));
        } catch (const ValueError& error) {
            fail<ValueError>("--set {}: {}; a text wants its quotes: --set 'name=\"text\"'", text,
                             error.what());
        }
    }
    return settings;
}

std::vector<Variable> as_variables(const std::vector<Array>& arrays, bool requires_grad) {
    std::vector<Variable> variables;
    for (const auto& array : arrays)
        variables.emplace_back(array, requires_grad && is_float(array.dtype()));
    return variables;
}

bool any_defined(const std::vector<Array>& arrays) {
    for (const auto& array : arrays)
        if (array.defined()) return true;
    return false;
}

/// A function with everything but its arrays chosen, eager or compiled.
class Callee {
public:
    Callee(const CallOptions& options)
        : options_(options), settings_(parse_settings(options.settings)) {
        find_function(options.function);  // throws with the nearest names
    }

    std::vector<Variable> operator()(const std::vector<Variable>& xs) {
        if (!options_.compiled) return run(xs);
        auto region = static_graph([this](std::vector<Variable> xs) { return run(xs); },
                                   StaticGraphOptions{.name = options_.function});
        region(xs);  // records; from the next call on it is machine code
        auto ys = region(xs);
        if (region.statistics().compiled_calls == 0)
            fail<CompileError>("call --compiled: {} ran eagerly\n{}", options_.function,
                               region.explain());
        return ys;
    }

private:
    std::vector<Variable> run(const std::vector<Variable>& xs) {
        Variables ys = call_function(options_.function, xs, settings_);
        return {ys.begin(), ys.end()};
    }
    const CallOptions& options_;
    Settings settings_;
};

/// The float variables that a gradient can flow to, and where each stands in the whole list.
struct Differentiated {
    std::vector<Variable> variables;
    std::vector<size_t> positions;
    explicit Differentiated(const std::vector<Variable>& all) {
        for (size_t i = 0; i < all.size(); ++i)
            if (all[i].defined() && is_float(all[i].dtype())) {
                variables.push_back(all[i]);
                positions.push_back(i);
            }
    }
};

Array value_or_zeros(const Variable& gradient, const Variable& like) {
    return gradient.defined() ? gradient.array() : Array::zeros(like.type());
}

/// Checks what the user gave as the gradient of `of`, and fills what was left out with zeros.
std::vector<Variable> given_gradients(const char* key, const std::vector<Array>& given,
                                      const Differentiated& of, bool requires_grad) {
    std::vector<Variable> result;
    for (size_t k = 0; k < of.variables.size(); ++k) {
        const size_t i = of.positions[k];
        const Type& type = of.variables[k].type();
        if (i >= given.size() || !given[i].defined()) {
            result.emplace_back(Array::zeros(type), requires_grad);
            continue;
        }
        if (!(given[i].shape() == type.shape))
            fail<ShapeError>("{}{} is {}, and what it belongs to is {}", key, i,
                             to_string(given[i].type()), to_string(type));
        result.emplace_back(given[i].astype(type.dtype), requires_grad);
    }
    return result;
}

void store(NamedArrays& results, const char* key, const Differentiated& of,
           const Variables& gradients) {
    for (size_t k = 0; k < of.variables.size(); ++k)
        results.emplace_back(fmt::format("{}{}", key, of.positions[k]),
                             value_or_zeros(gradients[k], of.variables[k]));
}

void write_onnx(const CallOptions& options, const std::vector<Variable>& xs) {
#ifdef CATENA_HAS_ONNX
    const Settings settings = parse_settings(options.settings);
    const auto run = [&](std::span<const Variable> inputs) {
        return call_function(options.function, {inputs.begin(), inputs.end()}, settings);
    };
    onnx::export_function(run, xs, options.onnx, {.train = !options.test});
#else
    fail<ValueError>(
        "call --onnx: this Catena was built without ONNX (libprotobuf-dev libonnx-dev)");
#endif
}

/// The operations of the call, as they are recorded, in Graphviz' language.
void write_dot(const CallOptions& options, const std::vector<Variable>& xs) {
    Tracer tracer(true);
    for (size_t i = 0; i < xs.size(); ++i)
        if (xs[i].defined()) tracer.add_argument(xs[i].array(), fmt::format("x{}", i));
    std::vector<int> outputs;
    {
        RecorderScope scope(&tracer);
        for (const Variable& y :
             call_function(options.function, xs, parse_settings(options.settings)))
            outputs.push_back(tracer.value_of(y.array()));
    }
    Trace trace = tracer.trace();
    trace.name = options.function;
    trace.outputs = outputs;
    write_file(options.dot, to_dot(trace));
}

/// A place without a file: the user wrote no line, and the framework's own are of no use to them.
SourceLoc command_line() {
    SourceLoc place;
    place.line = 1;
    return place;
}

NamedArrays run_call(const CallOptions& options) {
    const LocationScope scope(command_line());
    const auto mode = using_config(&Config::train, !options.test);
    const CallInputs inputs = read_call_inputs(options.inputs);
    const bool twice = any_defined(inputs.ggx);
    const bool once = twice || any_defined(inputs.gy);

    Callee callee(options);
    const auto xs = as_variables(inputs.x, once);
    if (!options.onnx.empty()) write_onnx(options, xs);
    if (!options.dot.empty()) write_dot(options, xs);
    const auto ys = callee(xs);

    NamedArrays results;
    for (size_t i = 0; i < ys.size(); ++i)
        if (ys[i].defined()) results.emplace_back(fmt::format("y{}", i), ys[i].array());
    if (!once) return results;

    const Differentiated x(xs), y(ys);
    const auto gys = given_gradients("gy", inputs.gy, y, twice);
    const Variables gxs = grad(y.variables, x.variables, gys, {.enable_double_backprop = twice});
    store(results, "gx", x, gxs);
    if (!twice) return results;

    // Gradients of sum(gx * ggx): only those gx count that depend on something.
    const auto ggxs = given_gradients("ggx", inputs.ggx, x, false);
    std::vector<Variable> starts, start_gradients, towards = x.variables;
    for (size_t k = 0; k < gxs.size(); ++k)
        if (gxs[k].defined() && gxs[k].requires_grad()) {
            starts.push_back(gxs[k]);
            start_gradients.push_back(ggxs[k]);
        }
    towards.insert(towards.end(), gys.begin(), gys.end());
    Variables second(towards.size());
    if (!starts.empty()) second = grad(starts, towards, start_gradients);
    const size_t split = x.variables.size();
    store(results, "gxx", x, Variables(std::span<const Variable>(second.begin(), split)));
    store(results, "ggy", y,
          Variables(std::span<const Variable>(second.begin() + split, second.end())));
    return results;
}

void print_function(const FunctionDef& def) {
    std::string arrays;
    for (const FunctionParameter& p : def.parameters) {
        if (p.is_value()) continue;
        arrays += (arrays.empty() ? "" : ", ") + p.name;
        if (p.kind == FunctionParameter::Kind::arrays) arrays += " (any number)";
    }
    fmt::print("{}\n  arrays, in this order, from files: {}\n  the others by --set NAME=JSON\n",
               def.signature, arrays.empty() ? "none" : arrays);
}

void print_functions() {
    for (const FunctionDef* def : all_functions()) fmt::print("{}\n", def->signature);
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const FunctionDef* def : all_functions()) names.push_back(def->name);
    return names;
}

/// "slope=" for the function that was named.
std::vector<std::string> arguments_to_set(std::span<const std::string> before) {
    std::vector<std::string> arguments;
    const std::vector<std::string> names = function_names();
    const auto named = std::find_first_of(before.begin(), before.end(), names.begin(), names.end());
    if (named != before.end())
        for (const FunctionParameter& p : find_function(*named).parameters)
            if (p.fallback) arguments.push_back(p.name + "=");
    return arguments;
}

}  // namespace

void add_call(CLI::App& program) {
    auto options = std::make_shared<CallOptions>();
    auto* command = program.add_subcommand(
        "call", "runs a function by name on arrays from files: for bug reports and comparisons");
    // Of its own, to tell of one function.
    command->set_help_flag();
    command->add_flag("-h,--help", options->help,
                      "this help; after a function, what that one takes");
    command->add_flag("--list", options->list, "print the signatures of all functions");
    CLI::Option* function =
        command->add_option("function", options->function, "a function, as in leaky_relu");
    complete_with(function, [](auto) { return function_names(); });
    command->add_option(
        "inputs", options->inputs,
        "its array arguments in order as .npy files, or one .npz with x0 x1 ... and, to ask "
        "for gradients, gy0 ... and ggx0 ...");
    CLI::Option* set = command->add_option("--set", options->settings,
                                           "another argument, NAME=JSON; again for more");
    set->allow_extra_args(false);
    complete_with(set, arguments_to_set);
    command->add_flag("--compiled", options->compiled, "run as a compiled static region");
    command->add_flag("--test", options->test, "test mode instead of train mode");
    command->add_option("--onnx", options->onnx, "write the call as an ONNX model to this file");
    command->add_option("--dot", options->dot,
                        "write the recorded operations as a graph for Graphviz to this file");
    command->add_option("-o,--output", options->output, "an .npz file for the results");
    command->callback([options] {
        if (options->list) return print_functions();
        if (options->help && options->function.empty()) throw CLI::CallForHelp();
        if (options->help) return print_function(find_function(options->function));
        if (options->function.empty())
            fail<ValueError>("call: no function is given; catena call --list prints all of them");
        const NamedArrays results = run_call(*options);
        for (const auto& [name, array] : results)
            std::cout << name << ' ' << to_string(array) << '\n';
        if (!options->output.empty()) save_npz(options->output, results);
    });
}

}  // namespace catena::tool
