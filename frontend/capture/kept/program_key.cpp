#include "frontend/capture/kept/program_key.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <unistd.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/simd/instruction_set.h"
#include "runtime/core/system/code_identity.h"
#include "runtime/graph/settings/config.h"

namespace catena::capture {
namespace {

/// What the processor says of its kind: model, instructions, and which registers the system saves.
/// Not which of its cores this is.
std::string processor_text() {
    std::string text;
#if defined(__x86_64__)
    const auto add = [&](unsigned leaf, unsigned part, bool with_ebx = true) {
        unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
        if (__get_cpuid_count(leaf, part, &eax, &ebx, &ecx, &edx))
            text += fmt::format("{:x} {:x} {:x} {:x};", eax, with_ebx ? ebx : 0, ecx, edx);
    };
    add(0, 0);
    add(1, 0, false);  // ebx numbers the core.
    for (unsigned part : {0u, 1u, 2u}) add(7, part);
    add(0x80000001, 0);
    for (unsigned leaf : {0x80000002u, 0x80000003u, 0x80000004u}) add(leaf, 0);
    unsigned low = 0, high = 0, eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_OSXSAVE)) {
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        text += fmt::format("{:x} {:x}", low, high);
    }
#endif
    return text;
}

/// The variables that Catena and oneDNN read.
std::string environment_text() {
    std::vector<std::string_view> set;
    for (char** variable = environ; variable && *variable; ++variable)
        for (const char* prefix : {"CATENA_", "ONEDNN_", "DNNL_"})
            if (std::string_view(*variable).starts_with(prefix)) set.push_back(*variable);
    std::ranges::sort(set);
    std::string text;
    for (std::string_view each : set) text += fmt::format("{}\n", each);
    return text;
}

class Writer {
public:
    void number(int64_t value) { key_.append(reinterpret_cast<const char*>(&value), sizeof value); }
    void text(std::string_view text) {
        number(int64_t(text.size()));
        key_ += text;
    }
    void numbers(const auto& list) {
        number(int64_t(list.size()));
        for (const auto& value : list) number(int64_t(value));
    }

    void write(const Attributes& attributes) {
        number(int64_t(attributes.entries().size()));
        for (const Attributes::Entry& entry : attributes.entries()) {
            text(entry.name);
            number(int64_t(entry.value.index()));
            if (const bool* flag = std::get_if<bool>(&entry.value)) number(*flag);
            if (const int64_t* integer = std::get_if<int64_t>(&entry.value)) number(*integer);
            if (const double* real = std::get_if<double>(&entry.value))
                number(std::bit_cast<int64_t>(*real));
            if (const std::string* string = std::get_if<std::string>(&entry.value)) text(*string);
            if (const Dims* dims = std::get_if<Dims>(&entry.value)) numbers(*dims);
        }
    }

    /// The parts of a definition that are data; functions belong to a build.
    void write(const OpDef& op) {
        text(op.name);
        for (int64_t value : {int64_t(op.kind), int64_t(op.input_count), int64_t(op.output_count),
                              int64_t(op.gives_bool), int64_t(op.floats_only), int64_t(op.combine),
                              int64_t(op.checks_values), int64_t(bool(op.kernel)),
                              int64_t(bool(op.view)), int64_t(bool(op.body)),
                              int64_t(op.formula.input_count), int64_t(op.formula.scalar_count)})
            number(value);
        number(int64_t(op.scalar_names.size()));
        for (const std::string& name : op.scalar_names) text(name);
        number(int64_t(op.formula.nodes.size()));
        for (const Formula::Node& node : op.formula.nodes) {
            for (int64_t value : {int64_t(node.leaf), int64_t(node.op),
                                  std::bit_cast<int64_t>(node.literal), int64_t(node.is_bool)})
                number(value);
            numbers(node.args);
        }
        numbers(op.formula.outputs);
    }

    void write(const Trace& trace) {
        text(trace.name);
        number(int64_t(trace.values.size()));
        for (const Trace::Value& value : trace.values) {
            number(int64_t(value.role) << 8 | int64_t(value.type.dtype));
            numbers(value.type.shape);
            text(value.name);
        }
        std::vector<const OpDef*> ops;  // Each is defined where it comes first.
        number(int64_t(trace.steps.size()));
        for (const Trace::Step& step : trace.steps) {
            const auto known = std::ranges::find(ops, step.op);
            number(known - ops.begin());
            if (known == ops.end()) {
                ops.push_back(step.op);
                write(*step.op);
            }
            numbers(step.inputs);
            numbers(step.outputs);
            numbers(step.scalars);
            write(step.attributes);
            text(step.location.file);
            number(step.location.line);
            text(step.function);
        }
        number(int64_t(trace.scalars.size()));
        for (const Trace::ScalarSlot& slot : trace.scalars)
            text(slot.cell ? std::string_view(slot.cell->name) : std::string_view());
        for (const std::vector<int>* list : {&trace.inputs, &trace.outputs}) numbers(*list);
        number(int64_t(trace.assigns.size()));
        for (const Trace::Assign& assign : trace.assigns) {
            number(assign.target);
            number(assign.value);
        }
    }

    std::string take() { return std::move(key_); }

private:
    std::string key_;
};

}  // namespace

std::string program_key(const Trace& trace, const CompileOptions& options) {
    static const std::string& processor = *new std::string(processor_text());
    static const std::string& compiler = *new std::string(build_of_file(compiler_path()));
    if (processor.empty() || compiler.empty()) return "";
    Writer writer;
    writer.text("a program of the host");
    for (const std::string& each : {compiler, builds_in_process(compiler_path()), processor,
                                    environment_text(), to_string(config())})
        writer.text(each);
    for (int64_t value : {int64_t(options.fast_math), options.memory_budget,
                          int64_t(instruction_set()), int64_t(thread_count())})
        writer.number(value);
    writer.write(trace);
    return writer.take();
}

}  // namespace catena::capture
