#include "frontend/capture/run/verify.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <unistd.h>

#include <fmt/format.h>

#include "frontend/capture/call/followed_call.h"
#include "frontend/capture/run/exact_results.h"
#include "frontend/capture/run/program.h"
#include "frontend/capture/run/trace_interpreter.h"
#include "frontend/compiler/compiler_loader.h"
#include "frontend/package/save_package.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/system/environment.h"
#include "runtime/file/file_name.h"
#include "runtime/file/write_file.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/program/run/portable.h"

namespace catena::capture {
namespace {

/// Tolerance for sums in another order, relative to the largest neighbouring element.
double tolerance(Dtype dtype) {
    switch (dtype) {
        case Dtype::float16:
            return 1e-2;
        case Dtype::bfloat16:
            return 6e-2;
        case Dtype::float32:
            return 2e-4;
        case Dtype::float64:
            return 1e-10;
        default:
            return 0;
    }
}

struct Difference {
    size_t index = 0;
    double compiled = 0, eager = 0;
    std::optional<double> exact = {};
};

std::optional<Difference> difference(const Array& compiled, const Array& eager) {
    const std::vector<double> a = compiled.to_vector<double>(), b = eager.to_vector<double>();
    double scale = 0;
    for (double v : b)
        if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
    const double allowed = tolerance(eager.dtype());
    std::optional<Difference> worst;
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        const double off = std::abs(a[i] - b[i]);
        if (std::isfinite(off) && off <= allowed * (std::abs(b[i]) + scale)) continue;
        if (!worst || off > most || !std::isfinite(off))
            worst = {i, a[i], b[i]}, most = std::isfinite(off) ? off : INFINITY;
    }
    return worst;
}

/// The largest difference from `exact` where that is finite; infinity where only it is.
double largest_error(const std::vector<double>& values, const std::vector<double>& exact) {
    double largest = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
        if (!std::isfinite(exact[i])) continue;
        const double off = std::abs(values[i] - exact[i]);
        largest = std::isfinite(off) ? std::max(largest, off) : INFINITY;
    }
    return largest;
}

/// The array with each element larger or smaller by so many units of its dtype's precision.
Array disturbed(const Array& array, uint64_t seed, int units) {
    if (!array.defined() || !is_float(array.dtype())) return array;
    const int bits = array.dtype() == Dtype::float64   ? 52
                     : array.dtype() == Dtype::float32 ? 23
                     : array.dtype() == Dtype::float16 ? 10
                                                       : 7;
    std::vector<double> values = array.to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i) {
        const bool up =
            ((uint64_t(i) + 1) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u) >> 63;
        values[i] *= 1 + std::ldexp(up ? units : -units, -bits);
    }
    return Array::from(values, array.shape()).astype(array.dtype()).to(array.device());
}

/// A sum rounds in an order of its own. (Other results are not disturbed: an element may be looked
/// for by its value, as a maximum is.)
bool is_sum(const OpDef& op) {
    return op.kind == Kind::contract || (op.kind == Kind::reduce && op.combine == Combine::sum);
}

/// How far rounding alone takes a program's results from those in float64. It may grow without
/// bound: where sums cancel (gradients through batch normalization), where a small number decides
/// (Adam, if a gradient is zero but for rounding), or a sign (ReLU).
struct Rounding {
    std::vector<Array> exact;
    /// Results of the eager kernels, as they are and with inputs and sums that are disturbed.
    std::vector<std::vector<Array>> eager;

    bool explains(size_t output, const Array& compiled) const {
        const std::vector<double> truth = exact[output].to_vector<double>();
        double usual = 0;
        for (const std::vector<Array>& results : eager)
            usual = std::max(usual, largest_error(results[output].to_vector<double>(), truth));
        return std::isfinite(usual) &&
               largest_error(compiled.to_vector<double>(), truth) <= 4 * usual;
    }
};

/// A program and its inputs.
struct Case {
    Trace trace;
    std::vector<Array> inputs;
    std::vector<double> scalars;
    CompileOptions options;

    std::vector<Array> compiled() const {
        std::vector<Array> outputs(trace.outputs.size() + trace.assigns.size());
        const std::unique_ptr<bool[]> donated(new bool[inputs.size()]());
        compiler()
            .compile(trace, options)
            ->run(inputs, scalars, {donated.get(), inputs.size()}, outputs);
        return outputs;
    }
    std::vector<Array> eager() const {
        std::vector<Array> outputs(trace.outputs.size() + trace.assigns.size());
        interpret_trace(trace, inputs, scalars, outputs);
        return outputs;
    }
    std::vector<Array> disturbed_eager(uint64_t seed) const {
        std::vector<Array> given, outputs(trace.outputs.size() + trace.assigns.size());
        for (const Array& array : inputs) given.push_back(disturbed(array, seed, 8));
        uint64_t number = 0;
        interpret_trace(trace, std::move(given), scalars, outputs,
                        [&](const Trace::Step& step, std::span<const Array> operands,
                            std::span<const double> numbers) {
                            Arrays results =
                                run_kernel(*step.op, operands, step.attributes, numbers);
                            ++number;
                            for (Array& result : results)
                                if (is_sum(*step.op))
                                    result = disturbed(result, seed * 1000003 + number, 2);
                            return results;
                        });
        return outputs;
    }
    /// The rounding of the eager kernels; nothing where the program does not compute in float64.
    std::optional<Rounding> rounding(std::span<const Array> eager_outputs) const {
        std::optional<std::vector<Array>> exact = exact_results(trace, inputs, scalars);
        if (!exact) return std::nullopt;
        Rounding rounding{.exact = std::move(*exact),
                          .eager = {{eager_outputs.begin(), eager_outputs.end()}}};
        for (uint64_t seed = 1; seed <= 5; ++seed) rounding.eager.push_back(disturbed_eager(seed));
        return rounding;
    }
    /// The first steps, with the results of the last one as outputs.
    Case first(size_t steps) const {
        Case part = *this;
        part.trace.steps.resize(steps);
        part.trace.outputs = part.trace.steps.back().outputs;
        part.trace.assigns.clear();
        return part;
    }
    /// The first of the outputs that is more than rounded otherwise. Those that are undefined are
    /// not compared.
    std::optional<Difference> difference_of(std::span<const Array> outputs,
                                            std::span<const Array> eager_outputs) const {
        std::optional<std::optional<Rounding>> by_rounding;  // Computed where it is asked for.
        for (size_t i = 0; i < eager_outputs.size(); ++i) {
            if (!outputs[i].defined()) continue;
            std::optional<Difference> found = difference(outputs[i], eager_outputs[i]);
            if (!found) continue;
            if (!by_rounding) by_rounding = rounding(eager_outputs);
            if (!*by_rounding) return found;
            if ((*by_rounding)->explains(i, outputs[i])) continue;
            found->exact = (*by_rounding)->exact[i].to_vector<double>()[found->index];
            return found;
        }
        return {};
    }
    std::optional<Difference> differs() const { return difference_of(compiled(), eager()); }
};

/// The shortest prefix of the program whose last operation differs, by bisection; the whole program
/// if there is none.
size_t first_bad_step(const Case& whole) {
    size_t good = 0, bad = whole.trace.steps.size();
    if (!whole.first(bad).differs()) {
        // The differing value is not of the last operation: test each.
        for (size_t n = 1; n < bad; ++n)
            if (whole.first(n).differs()) return n;
        return bad;
    }
    while (bad - good > 1) {
        const size_t middle = (good + bad) / 2;
        (whole.first(middle).differs() ? bad : good) = middle;
    }
    return bad;
}

/// NAME.mlir, NAME.npz and NAME.catena in CATENA_VERIFY_DIR or the current folder; returns the path
/// without extension.
std::string write_reproducer(const Case& bad) {
    static std::atomic<int> count{0};
    const std::filesystem::path folder = environment::text("CATENA_VERIFY_DIR").value_or(".");
    std::filesystem::create_directories(folder);
    const std::string stem =
        (folder / fmt::format("{}-verify-{}-{}", file_name_of(bad.trace.name), getpid(), count++))
            .string();
    ExportedProgram program;
    program.trace = bad.trace;
    NamedArrays arrays;
    std::vector<Type> types;
    for (size_t i = 0; i < bad.inputs.size(); ++i) {
        program.trace.values[size_t(bad.trace.inputs[i])].role = Trace::Role::argument;
        program.sources.push_back({ExportedProgram::Value::argument, int(i)});
        arrays.emplace_back(bad.inputs.size() == 1 ? "x" : "x" + std::to_string(i), bad.inputs[i]);
        types.push_back(bad.inputs[i].type());
    }
    for (size_t s = 0; s < bad.scalars.size(); ++s) program.trace.scalars[s] = {bad.scalars[s], {}};
    for (size_t o = 0; o < program.trace.outputs.size(); ++o)
        program.results.push_back({ExportedProgram::Value::result, int(o)});
    const PortableProgram portable = compiler().compile_portable(
        program.trace, {.fast_math = bad.options.fast_math, .stages = true});
    write_file(stem + ".mlir", portable.stages.at(0).second);
    save_npz(stem + ".npz", arrays);
    save_package(stem + ".catena", types, {}, cpu_device(),
                 [&](const std::vector<Type>&) { return program; });
    return stem;
}

/// `note`: for a difference that the program does not have when it is compiled by itself.
[[noreturn]] void report(const Case& whole, const Difference& seen, const char* note = "") {
    const Case bad = whole.first(first_bad_step(whole));
    const std::optional<Difference> found = bad.differs();
    const Difference d = found.value_or(seen);
    const Trace::Step& step = bad.trace.steps.back();
    std::string files;
    try {
        const std::string stem = write_reproducer(bad);
        files = fmt::format("; to reproduce it: catena-opt {0}.mlir, catena run {0}.catena {0}.npz",
                            stem);
    } catch (const std::exception& error) {
        files = fmt::format("; the files to reproduce it could not be written: {}", error.what());
    }
    throw VerificationError(fmt::format(
        "static_graph {}: compiled and eager differ at operation {} of {}, {} ({}): element {} is "
        "{} "
        "compiled and {} eager{}{}{}",
        bad.trace.name, bad.trace.steps.size(), whole.trace.steps.size(), step.op->name,
        to_string(step.location), d.index, d.compiled, d.eager,
        d.exact ? fmt::format(", {} in float64", *d.exact) : "", found ? "" : note, files));
}

}  // namespace

bool verifies(const StaticGraphOptions& options) {
    static const bool all = environment::flag("CATENA_VERIFY", false);
    return options.verify || all;
}

void run_verified(FollowedCall& call, Program& program, Activation* activation) {
    Case whole;
    whole.trace = *program.compiled().forward();
    for (int v : program.plan().inputs()) whole.inputs.push_back(call.content(v));
    whole.scalars.assign(call.numbers.values().begin(), call.numbers.values().end());
    whole.options = {.fast_math = program.plan().fast_math(), .device = &program.plan().device()};
    const std::vector<Array> eager = whole.eager();
    // Owning the inputs keeps the program from overwriting them.
    program.run(
        call, activation,
        [&](std::span<const Array> compiled) {  // What only backward would read is undefined.
            if (auto d = whole.difference_of(compiled, eager)) report(whole, *d);
        });
}

void verify_backward(const Trace& trace, std::span<const Array> inputs,
                     std::span<const double> scalars, const Program& program,
                     std::span<const Array> compiled) {
    Case whole{
        .trace = trace,
        .inputs = {inputs.begin(), inputs.end()},
        .scalars = {scalars.begin(), scalars.end()},
        .options = {.fast_math = program.plan().fast_math(), .device = &program.plan().device()}};
    if (auto d = whole.difference_of(compiled, whole.eager()))
        report(whole, *d,
               " (in forward and backward compiled to run in two parts; in one part there is no "
               "difference)");
}

}  // namespace catena::capture
