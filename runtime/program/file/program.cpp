#include "runtime/program/file/program.h"

#include <algorithm>
#include <list>
#include <mutex>

#include "runtime/core/array/device.h"
#include "runtime/core/array/foreign_array.h"
#include "runtime/core/memory/memory_allowance.h"
#include "runtime/file/limits.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/host_lock.h"
#include "runtime/program/run/device_code.h"
#include "runtime/program/schedule/launch_reports.h"
#include "runtime/program/file/loaded_program.h"
#include "runtime/program/file/schedule_json.h"

namespace catena {

using program::Contents;
using program::Json;

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::vector<std::string> host_targets(const Contents& contents) {
    std::vector<std::string> found;
    for (const Contents::Code& code : contents.codes)
        found.push_back(code.architecture + " " + code.level);
    return found;
}

std::vector<std::string> device_targets(const Contents& contents) {
    std::vector<std::string> found;
    for (const Contents::DeviceCode& code : contents.device_codes)
        if (std::find(found.begin(), found.end(), code.architecture) == found.end())
            found.push_back(code.architecture);
    return found;
}

}  // namespace

struct Program::Implementation {
    /// A program for `where`; without a device it is only inspected.
    Implementation(const std::string& path, Device* where) : contents(path), device(where) {
        if (!device) return;
        if (device->is_host())
            load_code();
        else
            load_device_code();
        for (Contents::State& state : contents.states) state.array = state.array.to(*device);
        for (Array& constant : contents.constants) constant = constant.to(*device);
        contents.numbers_at(std::vector<int64_t>(contents.open_sizes.size(), 1));
        const KernelProviderScope own_kernels(copies.get());
        if (contents.open_sizes.empty()) executable_at({});
    }

    void load_code() {
        if (!contents.is_for_host())
            fail<FileError>("{}: has no code for {}, only for {}; load it for a device",
                            contents.path, device->name(), joined(device_targets(contents)));
        for (const std::string& wanted : program::code_levels())
            for (const Contents::Code& code : contents.codes) {
                if (code.architecture != program::architecture() || code.level != wanted) continue;
                auto library = contents.package.texts.find(code.library);
                if (library == contents.package.texts.end())
                    fail<FileError>("{}: its code for {} is missing", contents.path, wanted);
                level = wanted;
                code_ = std::make_shared<program::CodeLibrary>(library->second, contents.path);
                return;
            }
        const std::string has = joined(host_targets(contents));
        fail<FileError>("{}: has code for {}, none of which runs on this processor ({})",
                        contents.path, has.empty() ? "nothing" : has, program::architecture());
    }

    void load_device_code() {
        code_device = dynamic_cast<CodeDevice*>(device);
        if (!code_device)
            fail<DeviceError>("{}: programs from files do not run on {}", contents.path,
                              device->name());
        if (!contents.is_for_devices())
            fail<FileError>("{}: has no CUDA code; save it with .cuda_architectures = {{\"{}\"}}",
                            contents.path, code_device->architecture());
        const std::vector<std::string> there = device_targets(contents);
        level = program::best_architecture(there, code_device->architecture());
        if (level.empty())
            fail<FileError>("{}: has code for {}; {} is {}", contents.path, joined(there),
                            device->name(), code_device->architecture());
        for (const Contents::DeviceCode& code : contents.device_codes) {
            if (code.architecture != level) continue;
            auto image = contents.package.texts.find(code.entry);
            if (image == contents.package.texts.end())
                fail<FileError>("{}: its code for {} is missing", contents.path, level);
            try {
                program::load_image(*code_device, {level, image->second, code.kernels}, kernels);
            } catch (const DeviceError& error) {
                fail<FileError>("{}: its code for {} cannot be loaded: {}", contents.path, level,
                                error.what());
            }
        }
        copies = std::make_unique<program::CopyProvider>(kernels);
    }

    std::unique_ptr<Executable> make_executable(std::span<const int64_t> sizes) const {
        if (code_device) {
            try {
                return std::make_unique<program::DeviceExecutable>(
                    contents.device_schedule_at(sizes), *code_device, kernels);
            } catch (const FileError& error) {
                const std::string what = error.what();
                if (what.starts_with(contents.path)) throw;
                fail<FileError>("{}: {}", contents.path, what);
            }
        }
        program::Schedule schedule = contents.schedule_at(sizes);
        schedule.info.name = contents.name;
        for (program::KernelLaunch& kernel : schedule.kernels) {
            kernel.function = reinterpret_cast<program::KernelFunction>(
                code_->find(program::symbol_at(kernel.symbol, level)));
            kernel.code = code_;
        }
        return std::make_unique<program::ScheduledExecutable>(std::move(schedule));
    }

    /// Number of sizes kept: a smaller last batch alternates with the others.
    Executable& executable_at(const std::vector<int64_t>& sizes) {
        static constexpr size_t most_executables = 8;
        for (auto it = executables.begin(); it != executables.end(); ++it)
            if (it->sizes == sizes) {
                executables.splice(executables.begin(), executables, it);
                return *executables.front().executable;
            }
        std::unique_ptr<Executable> made = make_executable(sizes);
        if (executables.size() == most_executables) executables.pop_back();
        executables.push_front({sizes, std::move(made), contents.numbers_at(sizes)});
        return *executables.front().executable;
    }

    std::vector<Array> run(std::span<const Array> arguments) {
        const WithoutHostLock others_may_run;
        const ReleaseLater after_unlocking;
        std::lock_guard lock(mutex);
        const MemoryAllowance allowed(memory_limit());
        if (!device)
            fail<ValueError>("program {}: was opened for inspection only; load it to run it",
                             contents.name);
        const KernelProviderScope own_kernels(copies.get());
        const std::vector<int64_t> sizes = contents.sizes_of(arguments, *device);
        Executable& executable = executable_at(sizes);
        std::vector<Array> inputs, outputs(contents.result_count());
        SmallVector<bool, 64> donated;
        for (const Contents::Value& source : contents.sources) {
            const Array& array = array_of(source, arguments, {});
            // Not referenced elsewhere: its memory may be overwritten.
            donated.push_back(source.kind == Contents::Value::state && !is_returned(source.index) &&
                              array.body()->use_count() == 1 && array.storage()->may_be_taken(1));
            inputs.push_back(array);
        }
        try {
            executable.run(inputs, executables.front().numbers, donated, outputs);
        } catch (const FileError& error) {  // Of memory.
            fail<FileError>("{}: {}", contents.path, error.what());
        } catch (const InternalError&
                     error) {  // For example a call whose attributes its kernel does not expect.
            fail<FileError>("{}: is inconsistent: {}", contents.path, error.what());
        }
        std::vector<Array> results;
        for (const Contents::Value& value : contents.results)
            results.push_back(array_of(value, arguments, outputs));
        inputs.clear();
        const size_t first = outputs.size() - contents.assigned.size();
        for (size_t a = 0; a < contents.assigned.size(); ++a) {
            Array& state = contents.states[size_t(contents.assigned[a])].array;
            if (state.storage()->is_held())
                copy_elements(outputs[first + a], state);
            else
                state = std::move(outputs[first + a]);
        }
        return results;
    }

    /// The previous content of a state is a result.
    bool is_returned(int state) const {
        return std::any_of(contents.results.begin(), contents.results.end(),
                           [&](const Contents::Value& value) {
                               return value.kind == Contents::Value::state && value.index == state;
                           });
    }

    const Array& array_of(const Contents::Value& value, std::span<const Array> arguments,
                          std::span<const Array> outputs) {
        switch (value.kind) {
            case Contents::Value::argument:
                return arguments[size_t(value.index)];
            case Contents::Value::state:
                return contents.states[size_t(value.index)].array;
            case Contents::Value::constant:
                return contents.constants[size_t(value.index)];
            default:
                return outputs[size_t(value.index)];
        }
    }

    Contents::State& state(const std::string& name) {
        auto found = std::find_if(contents.states.begin(), contents.states.end(),
                                  [&](const Contents::State& state) { return state.name == name; });
        if (found != contents.states.end()) return *found;
        std::string names;
        for (const Contents::State& state : contents.states)
            names += (names.empty() ? "" : ", ") + state.name;
        fail<ValueError>("program {}: has no state '{}' (it has {})", contents.name, name,
                         names.empty() ? "none" : names);
    }

    struct Sized {
        std::vector<int64_t> sizes;
        std::unique_ptr<Executable> executable;
        std::vector<double> numbers;
    };

    Contents contents;
    Device* device;
    std::string level;
    std::shared_ptr<program::CodeLibrary> code_;  ///< The machine code for the host.
    CodeDevice* code_device = nullptr;            ///< The device, where it is not the host.
    program::DeviceKernels kernels;
    std::unique_ptr<program::CopyProvider> copies;
    /// The executables of the sizes that calls had, last used first.
    std::list<Sized> executables;
    std::mutex mutex;
};

Program Program::load(const std::string& path) { return load(path, cpu_device()); }
Program Program::load(const std::string& path, const ProgramOptions& options) try {
    return load(path, get_device(options.device));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Program", path);
}
Program Program::load(const std::string& path, Device& device) try {
    return Program(std::make_shared<Implementation>(path, &device));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Program", path);
}
Program Program::open(const std::string& path) try {
    return Program(std::make_shared<Implementation>(path, nullptr));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Program", path);
}

Program::Implementation& Program::there() const {
    if (!implementation_)
        fail<ValueError>("Program: it was moved to another Program; copy it, which is cheap");
    return *implementation_;
}

const std::string& Program::name() const { return there().contents.name; }
const std::vector<Program::Port>& Program::inputs() const { return there().contents.inputs; }
const std::vector<Program::Port>& Program::outputs() const { return there().contents.outputs; }
const std::string& Program::code_level() const { return there().level; }

std::vector<std::string> Program::targets() const {
    std::vector<std::string> found = host_targets(there().contents);
    for (std::string& target : device_targets(there().contents)) found.push_back(std::move(target));
    return found;
}
Device& Program::device() const { return there().device ? *there().device : cpu_device(); }

void Program::verify() const {
    const Contents& contents = there().contents;
    // Memory plans depend on sizes: checks a few small ones, and one large one.
    const std::vector<int64_t> tried =
        contents.open_sizes.empty() ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 2, 3, 61};
    for (int64_t size : tried) {
        const std::vector<int64_t> sizes(contents.open_sizes.size(), size);
        contents.numbers_at(sizes);
        if (contents.is_for_host()) contents.schedule_at(sizes);
        if (contents.is_for_devices()) contents.device_schedule_at(sizes);
    }
    const auto require_text = [&](const std::string& entry) {
        if (!contents.package.texts.contains(entry))
            fail<FileError>("{}: entry '{}' is missing", contents.path, entry);
    };
    for (const Contents::Code& code : contents.codes) {
        require_text(code.library);
        require_text(code.object);
    }
    for (const Contents::DeviceCode& code : contents.device_codes) require_text(code.entry);
}

std::vector<Array> Program::run(std::span<const Array> inputs) { return there().run(inputs); }

std::vector<Array> Program::run(std::initializer_list<Array> inputs) {
    return run(std::span(inputs.begin(), inputs.size()));
}

std::vector<std::string> Program::state_names() const {
    std::vector<std::string> names;
    for (const Contents::State& state : there().contents.states) names.push_back(state.name);
    return names;
}

Array Program::state(const std::string& name) const {
    std::lock_guard lock(there().mutex);
    return there().state(name).array;
}

void Program::set_state(const std::string& name, const Array& array) {
    const ReleaseLater after_unlocking;
    std::lock_guard lock(there().mutex);
    const KernelProviderScope own_kernels(there().copies.get());
    Contents::State& state = there().state(name);
    if (array.dtype() != state.array.dtype())
        fail<DtypeError>("program {}: state '{}' is {}, not {}", this->name(), name,
                         to_string(state.array.type()), to_string(array.type()));
    if (!(array.shape() == state.array.shape()))
        fail<ShapeError>("program {}: state '{}' is {}, not {}", this->name(), name,
                         to_string(state.array.type()), to_string(array.type()));
    state.array = array.to(cpu_device()).as_contiguous().to(device());
}

std::vector<Program::Number> Program::numbers() const {
    std::lock_guard lock(there().mutex);
    std::vector<Number> numbers;
    for (const Json& number : there().contents.manifest.at("numbers"))
        if (!number.at("value").is_object())
            numbers.push_back({number.value("name", ""), program::number_from(number.at("value"))});
    return numbers;
}

void Program::set_number(const std::string& name, double value) {
    std::lock_guard lock(there().mutex);
    std::string names;
    bool found = false;
    for (Json& number : there().contents.manifest.at("numbers")) {
        const std::string own = number.value("name", "");
        if (own.empty()) continue;
        names += (names.empty() ? "" : ", ") + own;
        if (own != name) continue;
        number["value"] = program::number_json(value);
        found = true;
    }
    if (!found)
        fail<ValueError>("program {}: has no number '{}' (it has {})", this->name(), name,
                         names.empty() ? "none" : names);
    for (Implementation::Sized& sized : there().executables)
        sized.numbers = there().contents.numbers_at(sized.sizes);
}

void Program::save(const std::string& path) const {
    std::lock_guard lock(there().mutex);
    program::Package package = there().contents.package;
    for (const Contents::State& state : there().contents.states)
        package.arrays[state.entry] = state.array.to(cpu_device());
    program::write_package(path, there().contents.manifest, package);
}

namespace {
const std::string stage_folder = "stages/";
}  // namespace

std::vector<LaunchReport> Program::launches() const {
    std::lock_guard lock(there().mutex);
    if (!there().executables.empty()) {
        std::vector<LaunchReport> launches = there().executables.front().executable->launches();
        if (!launches.empty()) return launches;
    }
    const Contents& contents = there().contents;
    const std::vector<int64_t> sizes(contents.open_sizes.size(), 1);
    return program::launch_reports(contents.is_for_host() ? contents.schedule_at(sizes)
                                                          : contents.device_schedule_at(sizes));
}

std::vector<std::string> Program::stages() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : there().contents.package.texts)
        if (name.starts_with(stage_folder)) names.push_back(name.substr(stage_folder.size()));
    return names;
}

std::string Program::stage(const std::string& name) const {
    auto found = there().contents.package.texts.find(stage_folder + name);
    if (found != there().contents.package.texts.end()) return found->second;
    std::string names;
    for (const std::string& stage : stages()) names += (names.empty() ? "" : ", ") + stage;
    fail<ValueError>("program {}: has no stage '{}' (it has {})", this->name(), name,
                     names.empty() ? "none" : names);
}

}  // namespace catena
