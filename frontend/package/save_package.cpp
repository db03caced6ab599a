#include "frontend/package/save_package.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/package/merge_runs.h"
#include "frontend/package/open_states.h"
#include "runtime/core/array/code_device.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/dot.h"
#include "runtime/program/file/package.h"
#include "runtime/program/file/schedule_json.h"
#include "runtime/program/run/code_library.h"
#include "runtime/program/run/portable.h"
#include "runtime/program/schedule/different_kernels.h"

namespace catena {
namespace {

using Json = nlohmann::json;
using program::Package;

using Record = std::function<ExportedProgram(const std::vector<Type>&)>;

/// One program at all runs of its open sizes.
struct Runs {
    OpenSizes open;
    Record record;
    std::vector<ExportedProgram> programs;
    std::vector<program::Schedule> schedules;  ///< The schedules for the host.
    std::vector<PortableProgram::Code> code;   ///< The program's code, if requested.
    std::optional<DevicePortableProgram> for_devices;
    std::map<std::string, std::string> stages;
};

/// The targets of compilation.
struct Targets {
    std::vector<std::string> levels, architectures;
    /// The newest version of code for a device that is here, see CodeDevice; 0: any.
    int newest_code = 0;
};

Targets targets_of(const PackageOptions& options, Device& device) {
    for (const std::string& each : options.cuda_architectures)
        if (!program::is_device_architecture(each))
            fail<ValueError>(
                "save: '{}' is no CUDA architecture; \"sm_90\" is one, \"compute_90\" is PTX for "
                "it and later ones",
                each);
    if (!options.code_levels.empty() || !options.cuda_architectures.empty())
        return {options.code_levels, options.cuda_architectures};
    if (device.is_host() || device.is_meta()) return {program::known_code_levels(), {}};
    const auto* code_device = dynamic_cast<CodeDevice*>(&device);
    if (!code_device) fail<ValueError>("save: no code can be made for {}", device.name());
    return {{}, compiler().portable_architectures(*code_device), code_device->newest_code()};
}

void check_portable(const Trace& trace) {
    for (const Trace::Step& step : trace.steps)
        if (step.attributes.has("communicator"))
            fail<ValueError>(
                "save: {} ({}) sends messages to other processes, which cannot be saved",
                step.op->name, to_string(step.location));
}

void compile_for_host(Runs& runs, const std::vector<std::string>& levels, bool stages) {
    PortableOptions portable{.fast_math = config().fast_math,
                             .any_size = !runs.open.names().empty(),
                             .levels = levels,
                             .stages = stages};
    for (size_t r = 0; r < runs.open.code_runs(); ++r) {
        PortableProgram made = compiler().compile_portable(runs.programs[r].trace, portable);
        runs.schedules.push_back(std::move(made.schedule));
        if (runs.schedules.size() > 1) continue;
        runs.code = std::move(made.code);
        runs.stages.insert(made.stages.begin(), made.stages.end());
        portable.levels.clear();  // The code is valid for all sizes.
        portable.stages = false;
    }
    program::check_same_kernels(runs.schedules);
}

void compile_for_devices(Runs& runs, const Targets& targets, bool stages) {
    std::vector<const Trace*> traces;
    for (size_t r = 0; r < runs.open.code_runs(); ++r) traces.push_back(&runs.programs[r].trace);
    runs.for_devices =
        compiler().compile_portable_for_device(traces, {.fast_math = config().fast_math,
                                                        .architectures = targets.architectures,
                                                        .newest_code = targets.newest_code,
                                                        .stages = stages});
    runs.stages.insert(runs.for_devices->stages.begin(), runs.for_devices->stages.end());
}

/// Calls the region once more at the sizes of a run; at the given sizes that is the recorded call
/// itself.
OpenSizes::Again once_more(const Runs& runs, size_t run) {
    return [&runs, run] { return runs.record(runs.open.types_at(runs.open.runs()[run])).trace; };
}

/// Constants and the order of results are stored of the first run.
void check_stored(const Runs& runs) {
    const ExportedProgram& first = runs.programs[0];
    std::vector<const Trace*> traces;
    for (const ExportedProgram& program : runs.programs) {
        traces.push_back(&program.trace);
        if (program.constants != first.constants || program.results.size() != first.results.size())
            fail<ValueError>(
                "save: the program differs at other open sizes: it has {} results of {} arrays "
                "from outside, or {} of {}",
                first.results.size(), first.constants.size(), program.results.size(),
                program.constants.size());
        for (size_t i = 0; i < first.results.size(); ++i)
            if (program.results[i].kind != first.results[i].kind ||
                program.results[i].index != first.results[i].index)
                fail<ValueError>(
                    "save: the program differs at other open sizes: result {} is another value", i);
    }
    for (int constant : first.constants)
        runs.open.check_constant(traces, constant, once_more(runs, 1));
}

Runs compile_runs(const std::vector<Type>& arguments, const PackageOptions& options,
                  const Targets& targets, const Record& record, OpenSizes::Functions functions,
                  OpenSizes::Farther farther) {
    Runs runs{.open = OpenSizes("save", arguments, options.open_sizes, functions, farther),
              .record = record};
    for (const auto& sizes : runs.open.runs()) {
        runs.programs.push_back(record(runs.open.types_at(sizes)));
        check_portable(runs.programs.back().trace);
        runs.open.check_same(runs.programs[0].trace, runs.programs.back().trace,
                             once_more(runs, runs.programs.size() - 1));
    }
    check_stored(runs);
    leave_out_open_states(runs.programs);
    if (!targets.levels.empty()) compile_for_host(runs, targets.levels, options.stages);
    if (!targets.architectures.empty()) compile_for_devices(runs, targets, options.stages);
    return runs;
}

Json schedule_json(const Runs& runs, std::span<const program::Schedule> schedules) {
    std::vector<Json> documents;
    for (const program::Schedule& schedule : schedules)
        documents.push_back(program::to_json(schedule));
    return merge_runs(documents, runs.open);
}

template <class ShapeOf>
Json shape_json(const Runs& runs, const ShapeOf& shape_of) {
    std::vector<Json> shapes;
    for (size_t r = 0; r < runs.programs.size(); ++r) {
        const Shape shape = shape_of(r);
        shapes.push_back(std::vector<int64_t>(shape.begin(), shape.end()));
    }
    return merge_runs(shapes, runs.open);
}

std::string port_name(const std::vector<std::string>& given, const char* letter, size_t i,
                      size_t count) {
    if (!given.empty()) return given[i];
    return count == 1 ? letter : letter + std::to_string(i);
}

void check_names(const char* what, const std::vector<std::string>& names, size_t count) {
    if (!names.empty() && names.size() != count)
        fail<ValueError>("save: {} {} names are given, the region has {} of them", names.size(),
                         what, count);
    if (std::set<std::string>(names.begin(), names.end()).size() != names.size())
        fail<ValueError>("save: two {}s have the same name", what);
}

Json inputs_json(const Runs& runs, const std::vector<Type>& arguments,
                 const PackageOptions& options) {
    check_names("input", options.input_names, arguments.size());
    Json inputs = Json::array();
    for (size_t k = 0; k < arguments.size(); ++k)
        inputs.push_back({{"name", port_name(options.input_names, "x", k, arguments.size())},
                          {"dtype", std::string(name_of(arguments[k].dtype))},
                          {"shape", shape_json(runs, [&](size_t r) {
                               return runs.open.types_at(runs.open.runs()[r])[k].shape;
                           })}});
    return inputs;
}

/// The type of output `i` at run `r`.
Type output_type(const Runs& runs, size_t r, size_t i) {
    const ExportedProgram& program = runs.programs[r];
    const ExportedProgram::Value& value = program.results[i];
    switch (value.kind) {
        case ExportedProgram::Value::argument:
            return runs.open.types_at(runs.open.runs()[r])[size_t(value.index)];
        case ExportedProgram::Value::state:
            return program.trace.values[size_t(program.states[size_t(value.index)])].type;
        case ExportedProgram::Value::constant:
            return program.trace.values[size_t(program.constants[size_t(value.index)])].type;
        default:
            return program.trace.values[size_t(program.trace.outputs[size_t(value.index)])].type;
    }
}

Json outputs_json(const Runs& runs, const PackageOptions& options) {
    const size_t count = runs.programs[0].results.size();
    check_names("output", options.output_names, count);
    Json outputs = Json::array();
    for (size_t i = 0; i < count; ++i)
        outputs.push_back(
            {{"name", port_name(options.output_names, "y", i, count)},
             {"dtype", std::string(name_of(output_type(runs, 0, i).dtype))},
             {"shape", shape_json(runs, [&](size_t r) { return output_type(runs, r, i).shape; })}});
    return outputs;
}

Json values_json(const std::vector<ExportedProgram::Value>& values) {
    static constexpr const char* kinds[] = {"argument", "state", "constant", "result"};
    Json json = Json::array();
    for (const ExportedProgram::Value& value : values)
        json.push_back({kinds[value.kind], value.index});
    return json;
}

Json type_json(const Type& type) {
    return {{"dtype", std::string(name_of(type.dtype))},
            {"shape", std::vector<int64_t>(type.shape.begin(), type.shape.end())}};
}

/// A path inside the archive: without a leading slash or steps upwards.
std::string entry_name(const char* folder, const std::string& name) {
    std::string path = name;
    for (char& c : path)
        if (uint8_t(c) < 0x20 || c == '\\' || c == ':' || c == '.') c = '_';
    path.erase(0, path.find_first_not_of('/') == std::string::npos ? path.size()
                                                                   : path.find_first_not_of('/'));
    return std::string(folder) + "/" + path + ".npy";
}

Json states_json(const ExportedProgram& program, Package& package) {
    Json states = Json::array();
    std::set<std::string> names;
    for (int v : program.states) {
        const Trace::Value& value = program.trace.values[size_t(v)];
        const std::string base = value.name.empty() ? "state" : value.name;
        std::string name = base;
        for (int n = 1; names.contains(name) || package.arrays.contains(entry_name("states", name));
             ++n)
            name = base + "_" + std::to_string(n);
        names.insert(name);
        Json state = type_json(value.type);
        state["name"] = name;
        state["entry"] = entry_name("states", name);
        package.arrays[entry_name("states", name)] = value.state->array.to(cpu_device());
        states.push_back(std::move(state));
    }
    return states;
}

Json constants_json(const ExportedProgram& program, Package& package) {
    Json constants = Json::array();
    for (size_t i = 0; i < program.constants.size(); ++i) {
        const Trace::Value& value = program.trace.values[size_t(program.constants[i])];
        Json constant = type_json(value.type);
        constant["entry"] = entry_name("constants", std::to_string(i));
        package.arrays[entry_name("constants", std::to_string(i))] =
            value.captured.to(cpu_device());
        constants.push_back(std::move(constant));
    }
    return constants;
}

double number_of(const Trace::ScalarSlot& slot) {
    return slot.cell ? slot.cell->value : slot.value;
}

/// Numbers of the program at sizes beyond the runs.
class OtherSizes {
public:
    explicit OtherSizes(const Runs& runs) : runs_(runs) {}

    /// A number of the program at these sizes; none where the program differs, or cannot be
    /// recorded.
    std::optional<double> number_at(size_t number, const std::vector<int64_t>& sizes) {
        auto found = known_.find(sizes);
        if (found == known_.end()) found = known_.emplace(sizes, numbers_at(sizes)).first;
        return found->second ? std::optional((*found->second)[number]) : std::nullopt;
    }

private:
    std::optional<std::vector<double>> numbers_at(const std::vector<int64_t>& sizes) const {
        try {
            const Trace trace = runs_.record(runs_.open.types_at(sizes)).trace;
            if (trace.structure_hash() != runs_.programs[0].trace.structure_hash())
                return std::nullopt;
            std::vector<double> numbers;
            for (const Trace::ScalarSlot& slot : trace.scalars) numbers.push_back(number_of(slot));
            return numbers;
        } catch (const Error&) {
            return std::nullopt;
        }
    }

    const Runs& runs_;
    std::map<std::vector<int64_t>, std::optional<std::vector<double>>> known_;
};

Json numbers_json(const Runs& runs) {
    const Trace& first = runs.programs[0].trace;
    OtherSizes others(runs);
    Json numbers = Json::array();
    for (size_t i = 0; i < first.scalars.size(); ++i) {
        std::vector<double> seen;
        for (const ExportedProgram& program : runs.programs)
            seen.push_back(number_of(program.trace.scalars[i]));
        const Json value = merge_numbers(seen, runs.open, [&](const std::vector<int64_t>& sizes) {
            return others.number_at(i, sizes);
        });
        if (value.is_null())
            for (const Trace::Step& step : first.steps)
                if (std::find(step.scalars.begin(), step.scalars.end(), int(i)) !=
                    step.scalars.end()) {
                    runs.open.check_repeats(runs.programs[1].trace, step, int(i),
                                            once_more(runs, 1));
                    fail<ValueError>(
                        "save: a number in {} ({}) depends on an open size, but no function fits: "
                        "{} or "
                        "{}; give that size",
                        step.op->name, to_string(step.location), seen[0], seen.back());
                }
        numbers.push_back(
            {{"value", value}, {"name", first.scalars[i].cell ? first.scalars[i].cell->name : ""}});
    }
    return numbers;
}

Json open_sizes_json(const OpenSizes& open) {
    Json sizes = Json::array();
    for (const OpenSizes::Name& name : open.names())
        sizes.push_back(
            {{"name", name.name}, {"input", name.places[0].input}, {"axis", name.places[0].axis}});
    return sizes;
}

Json code_json(const Runs& runs, Package& package) {
    Json code = Json::array();
    for (const PortableProgram::Code& made : runs.code) {
        const std::string stem = "code/" + made.level;
        package.texts[stem + ".so"] = made.library;
        package.texts[stem + ".o"] = made.object;
        code.push_back({{"architecture", program::architecture()},
                        {"level", made.level},
                        {"library", stem + ".so"},
                        {"object", stem + ".o"}});
    }
    return code;
}

Json cuda_json(const Runs& runs, Package& package) {
    const std::string entry = "cuda/schedule.json";
    package.texts[entry] = schedule_json(runs, runs.for_devices->schedules).dump();
    Json images = Json::array();
    std::map<std::string, int> counts;
    for (const program::DeviceImage& image : runs.for_devices->images) {
        const char* extension = image.architecture.starts_with("sm_")        ? "cubin"
                                : image.architecture.starts_with("compute_") ? "ptx"
                                                                             : "cu";
        const std::string name = fmt::format("cuda/{}.{}.{}", image.architecture,
                                             counts[image.architecture]++, extension);
        package.texts[name] = image.code;
        images.push_back(
            {{"architecture", image.architecture}, {"entry", name}, {"kernels", image.kernels}});
    }
    return {{"schedule", entry}, {"images", std::move(images)}};
}

void write_runs(const std::string& path, const std::vector<Type>& arguments,
                const PackageOptions& options, const Runs& runs) {
    const ExportedProgram& first = runs.programs[0];
    Package package;
    if (!runs.schedules.empty())
        package.texts["schedule.json"] = schedule_json(runs, runs.schedules).dump();
    if (options.stages) {
        for (const auto& [name, text] : runs.stages) package.texts["stages/" + name] = text;
        package.texts["stages/program.txt"] = first.trace.to_string();
        package.texts["stages/program.dot"] = to_dot(first.trace);
    }
    Json manifest = {{"written_by", "Catena " CATENA_VERSION},
                     {"ir_version", 1},
                     {"compiler", compiler().version()},
                     {"name", first.trace.name},
                     {"open_sizes", open_sizes_json(runs.open)},
                     {"inputs", inputs_json(runs, arguments, options)},
                     {"outputs", outputs_json(runs, options)},
                     {"states", states_json(first, package)},
                     {"constants", constants_json(first, package)},
                     {"numbers", numbers_json(runs)},
                     {"sources", values_json(first.sources)},
                     {"results", values_json(first.results)},
                     {"assigned", first.assigned},
                     {"code", code_json(runs, package)}};
    if (runs.for_devices) manifest["cuda"] = cuda_json(runs, package);
    program::write_package(path, manifest, package);
}

/// Passes choose by a number of rows or bytes, which the sizes of the runs may straddle: what is
/// chosen for larger ones is right for all. False if the kernels differ there, too, or the code
/// does not take such sizes.
bool write_farther(const std::function<void(OpenSizes::Farther)>& write) {
    for (const OpenSizes::Farther farther :
         {OpenSizes::Farther{256, false}, OpenSizes::Farther{256, true},
          OpenSizes::Farther{32 * 1024, true}})
        try {
            write(farther);
            return true;
        } catch (const Error&) {
        }
    return false;
}

}  // namespace

void save_package(const std::string& path, const std::vector<Type>& arguments,
                  const PackageOptions& options, Device& device, const Record& record) {
    const Targets targets = targets_of(options, device);
    auto write_by = [&](OpenSizes::Functions functions, OpenSizes::Farther farther) {
        write_runs(path, arguments, options,
                   compile_runs(arguments, options, targets, record, functions, farther));
    };
    auto write = [&](OpenSizes::Farther farther) {
        try {
            write_by(OpenSizes::Functions::affine, farther);
        } catch (const program::DifferentKernels&) {
            throw;
        } catch (const ValueError&) {
            // Products of sizes need many more runs, so they are tried only if affine functions
            // fail.
            if (options.open_sizes.empty()) throw;
            write_by(OpenSizes::Functions::products, farther);
        }
    };
    try {
        write({0, false});
    } catch (const program::DifferentKernels&) {
        if (!write_farther(write)) throw;
    }
}

}  // namespace catena
