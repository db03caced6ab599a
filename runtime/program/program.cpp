#include "runtime/program/program.h"

#include <algorithm>
#include <list>

#include "runtime/core/device.h"
#include "runtime/program/loaded_program.h"
#include "runtime/program/schedule_json.h"

namespace catena {

using program::Contents;
using program::Json;

struct Program::Implementation {
    explicit Implementation(const std::string& path) : contents(path) {
        load_code();
        contents.numbers_at(std::vector<int64_t>(contents.open_sizes.size(), 1));
        if (contents.open_sizes.empty()) executable_at({});
    }

    void load_code() {
        std::string has;
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
        for (const Contents::Code& code : contents.codes)
            has += (has.empty() ? "" : ", ") + code.architecture + " " + code.level;
        fail<FileError>("{}: has code for {}, none of which this processor ({}) runs", contents.path,
                        has.empty() ? "nothing" : has, program::architecture());
    }

    /// Sizes come and go, as a ragged last batch does.
    program::ScheduledExecutable& executable_at(const std::vector<int64_t>& sizes) {
        static constexpr size_t most_executables = 8;
        for (auto it = executables.begin(); it != executables.end(); ++it)
            if (it->sizes == sizes) {
                executables.splice(executables.begin(), executables, it);
                return *executables.front().executable;
            }
        program::Schedule schedule = contents.schedule_at(sizes);
        for (program::KernelLaunch& kernel : schedule.kernels) {
            kernel.function = reinterpret_cast<program::KernelFunction>(code_->find(program::symbol_at(kernel.symbol, level)));
            kernel.code = code_;
        }
        if (executables.size() == most_executables) executables.pop_back();
        executables.push_front({sizes, std::make_unique<program::ScheduledExecutable>(std::move(schedule)),
                                contents.numbers_at(sizes)});
        return *executables.front().executable;
    }

    std::vector<Array> run(std::span<const Array> arguments) {
        std::lock_guard lock(mutex);
        const std::vector<int64_t> sizes = contents.sizes_of(arguments);
        program::ScheduledExecutable& executable = executable_at(sizes);
        std::vector<Array> inputs, outputs(contents.schedule.at("results").size());
        std::vector<char> donated;
        for (const Contents::Value& source : contents.sources) {
            const Array& array = array_of(source, arguments, {});
            // Nobody else looks at it: its memory may be written over.
            donated.push_back(source.kind == Contents::Value::state && !is_returned(source.index) &&
                              array.body()->use_count() == 1 && array.storage()->use_count() == 1);
            inputs.push_back(array);
        }
        executable.run(inputs, executables.front().numbers,
                       {reinterpret_cast<const bool*>(donated.data()), donated.size()}, outputs);
        std::vector<Array> results;
        for (const Contents::Value& value : contents.results) results.push_back(array_of(value, arguments, outputs));
        inputs.clear();
        const size_t first = outputs.size() - contents.assigned.size();
        for (size_t a = 0; a < contents.assigned.size(); ++a)
            contents.states[size_t(contents.assigned[a])].array = std::move(outputs[first + a]);
        return results;
    }

    /// The content that a state had before the call is a result.
    bool is_returned(int state) const {
        return std::any_of(contents.results.begin(), contents.results.end(), [&](const Contents::Value& value) {
            return value.kind == Contents::Value::state && value.index == state;
        });
    }

    const Array& array_of(const Contents::Value& value, std::span<const Array> arguments, std::span<const Array> outputs) {
        switch (value.kind) {
            case Contents::Value::argument: return arguments[size_t(value.index)];
            case Contents::Value::state: return contents.states[size_t(value.index)].array;
            case Contents::Value::constant: return contents.constants[size_t(value.index)];
            default: return outputs[size_t(value.index)];
        }
    }

    Contents::State& state(const std::string& name) {
        auto found = std::find_if(contents.states.begin(), contents.states.end(),
                                  [&](const Contents::State& state) { return state.name == name; });
        if (found != contents.states.end()) return *found;
        std::string names;
        for (const Contents::State& state : contents.states) names += (names.empty() ? "" : ", ") + state.name;
        fail<ValueError>("program {}: has no state '{}' (it has {})", contents.name, name, names.empty() ? "none" : names);
    }

    struct Sized {
        std::vector<int64_t> sizes;
        std::unique_ptr<program::ScheduledExecutable> executable;
        std::vector<double> numbers;
    };

    Contents contents;
    std::string level;
    std::shared_ptr<program::CodeLibrary> code_;
    std::list<Sized> executables;  ///< Last used first.
    std::mutex mutex;
};

Program Program::load(const std::string& path) { return Program(std::make_shared<Implementation>(path)); }

const std::string& Program::name() const { return implementation_->contents.name; }
const std::vector<Program::Port>& Program::inputs() const { return implementation_->contents.inputs; }
const std::vector<Program::Port>& Program::outputs() const { return implementation_->contents.outputs; }
const std::string& Program::code_level() const { return implementation_->level; }

std::vector<Array> Program::run(std::span<const Array> inputs) { return implementation_->run(inputs); }

std::vector<std::string> Program::state_names() const {
    std::vector<std::string> names;
    for (const Contents::State& state : implementation_->contents.states) names.push_back(state.name);
    return names;
}

Array Program::state(const std::string& name) const {
    std::lock_guard lock(implementation_->mutex);
    return implementation_->state(name).array;
}

void Program::set_state(const std::string& name, const Array& array) {
    std::lock_guard lock(implementation_->mutex);
    Contents::State& state = implementation_->state(name);
    if (array.dtype() != state.array.dtype())
        fail<DtypeError>("program {}: state '{}' is {}, not {}", this->name(), name, to_string(state.array.type()),
                         to_string(array.type()));
    if (!(array.shape() == state.array.shape()))
        fail<ShapeError>("program {}: state '{}' is {}, not {}", this->name(), name, to_string(state.array.type()),
                         to_string(array.type()));
    state.array = array.to(cpu_device()).as_contiguous();
}

std::vector<Program::Number> Program::numbers() const {
    std::lock_guard lock(implementation_->mutex);
    std::vector<Number> numbers;
    for (const Json& number : implementation_->contents.manifest.at("numbers"))
        if (!number.at("value").is_object())
            numbers.push_back({number.value("name", ""), program::number_from(number.at("value"))});
    return numbers;
}

void Program::set_number(const std::string& name, double value) {
    std::lock_guard lock(implementation_->mutex);
    std::string names;
    bool found = false;
    for (Json& number : implementation_->contents.manifest.at("numbers")) {
        const std::string own = number.value("name", "");
        if (own.empty()) continue;
        names += (names.empty() ? "" : ", ") + own;
        if (own != name) continue;
        number["value"] = program::number_json(value);
        found = true;
    }
    if (!found)
        fail<ValueError>("program {}: has no number '{}' (it has {})", this->name(), name, names.empty() ? "none" : names);
    for (Implementation::Sized& sized : implementation_->executables)
        sized.numbers = implementation_->contents.numbers_at(sized.sizes);
}

void Program::save(const std::string& path) const {
    std::lock_guard lock(implementation_->mutex);
    program::Package package = implementation_->contents.package;
    for (const Contents::State& state : implementation_->contents.states) package.arrays[state.entry] = state.array;
    program::write_package(path, implementation_->contents.manifest, package);
}

namespace {
const std::string stage_folder = "stages/";
}  // namespace

std::vector<std::string> Program::stages() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : implementation_->contents.package.texts)
        if (name.starts_with(stage_folder)) names.push_back(name.substr(stage_folder.size()));
    return names;
}

std::string Program::stage(const std::string& name) const {
    auto found = implementation_->contents.package.texts.find(stage_folder + name);
    if (found != implementation_->contents.package.texts.end()) return found->second;
    std::string names;
    for (const std::string& stage : stages()) names += (names.empty() ? "" : ", ") + stage;
    fail<ValueError>("program {}: has no stage '{}' (it has {})", this->name(), name, names.empty() ? "none" : names);
}

}  // namespace catena
