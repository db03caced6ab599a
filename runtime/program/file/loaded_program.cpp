#include "runtime/program/file/loaded_program.h"

#include <set>

#include <fmt/ranges.h>

#include "runtime/core/array/device.h"
#include "runtime/file/limits.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/program/file/schedule_json.h"

namespace catena::program {

namespace {

/// Turns any error in a document into a FileError.
template <class F>
auto reading(const std::string& path, F f) {
    try {
        return f();
    } catch (const nlohmann::json::exception& error) {
        fail<FileError>("{}: is damaged: {}", path, error.what());
    } catch (const FileError& error) {
        const std::string what = error.what();
        if (what.starts_with(path)) throw;
        fail<FileError>("{}: {}", path, what);
    } catch (const Error& error) {
        fail<FileError>("{}: is damaged: {}", path, error.what());
    } catch (const std::bad_alloc&) {
        fail<FileError>("{}: is damaged: it needs more memory than is available", path);
    } catch (const std::logic_error& error) {
        fail<FileError>("{}: is damaged: {}", path, error.what());
    }
}

Contents::Value value_from(const Json& json) {
    const std::string kind = json.at(0).get<std::string>();
    Contents::Value value{.index = json.at(1).get<int>()};
    for (auto [text, known] : {std::pair("argument", Contents::Value::argument),
                               {"state", Contents::Value::state},
                               {"constant", Contents::Value::constant},
                               {"result", Contents::Value::result}})
        if (kind == text) {
            value.kind = known;
            return value;
        }
    fail<FileError>("a value is of the unknown kind '{}'", kind);
}

/// Sizes in words, which are longer than what a document says of them.
struct SizeWords {
    const std::vector<Contents::OpenSize>& open;
    FileBudget& budget;
    const std::string& name(size_t k) const {
        budget.ask(open[k].name.size(), "a size in words");
        return open[k].name;
    }
};

/// The polynomial as text: "2*batch*time+1".
std::string polynomial_text(const Json& terms, const SizeWords& words) {
    std::string text;
    for (const Json& term : terms) {
        std::string product;
        for (size_t k = 0; k < words.open.size(); ++k) {
            const int64_t exponent = term.at(k + 1).get<int64_t>();
            check_exponent(exponent);
            for (int64_t e = 0; e < exponent; ++e)
                product += (product.empty() ? "" : "*") + words.name(k);
        }
        const int64_t factor = term.at(0).get<int64_t>();
        if (product.empty())
            product = std::to_string(factor);
        else if (factor != 1)
            product = std::to_string(factor) + "*" + product;
        text += (text.empty() || factor < 0 ? "" : "+") + product;
    }
    return text.empty() ? "0" : text;
}

/// "784", or the size in words: "batch", "2*batch+1".
std::string size_text(const Json& size, const SizeWords& words) {
    if (size.is_number_integer()) return std::to_string(size.get<int64_t>());
    if (size.contains("polynomial")) return polynomial_text(size.at("polynomial"), words);
    const Json& terms = size.at("affine");
    std::string text;
    for (size_t i = 1; i < terms.size() && i <= words.open.size(); ++i) {
        const int64_t factor = terms.at(i).get<int64_t>();
        if (factor == 0) continue;
        if (!text.empty() && factor > 0) text += "+";
        text += (factor == 1 ? "" : std::to_string(factor) + "*") + words.name(i - 1);
    }
    const int64_t constant = terms.at(0).get<int64_t>();
    if (constant != 0 || text.empty())
        text += (constant > 0 && !text.empty() ? "+" : "") + std::to_string(constant);
    return text;
}

std::vector<ProgramPort> ports_from(const Json& list, const SizeWords& words) {
    std::vector<ProgramPort> ports;
    for (const Json& json : list) {
        ProgramPort port{json.at("name").get<std::string>(),
                         parse_dtype(json.at("dtype").get<std::string>()),
                         {}};
        for (const Json& size : json.at("shape")) port.sizes.push_back(size_text(size, words));
        ports.push_back(std::move(port));
    }
    return ports;
}

Array array_of(const Package& package, const Json& json) {
    const std::string entry = json.at("entry").get<std::string>();
    auto found = package.arrays.find(entry);
    if (found == package.arrays.end()) fail<FileError>("entry '{}' is missing", entry);
    const Type type{parse_dtype(json.at("dtype").get<std::string>()),
                    Shape(std::span<const int64_t>(json.at("shape").get<std::vector<int64_t>>()))};
    if (!(found->second.shape() == type.shape))
        fail<FileError>("entry '{}' is {}, it should be {}", entry, to_string(found->second.type()),
                        to_string(type));
    return found->second.astype(type.dtype);
}

void check_values(const std::vector<Contents::Value>& values, const Contents& contents,
                  size_t results, const char* what) {
    for (const Contents::Value& value : values) {
        const size_t counts[] = {contents.inputs.size(), contents.states.size(),
                                 contents.constants.size(), results};
        if (value.index < 0 || size_t(value.index) >= counts[value.kind])
            fail<FileError>("{} names value {} of {}", what, value.index, counts[value.kind]);
    }
}

}  // namespace

Contents::Contents(const std::string& file) : path(file) {
    package = read_package(path, manifest);
    reading(path, [&] {
        if (const Json& cuda = manifest.value("cuda", Json()); cuda.is_object()) {
            device_schedule = schedule_entry(cuda.at("schedule").get<std::string>());
            for (const Json& image : cuda.at("images"))
                device_codes.push_back({image.at("architecture").get<std::string>(),
                                        image.at("entry").get<std::string>(),
                                        image.at("kernels").get<std::vector<std::string>>()});
        }
        if (!is_for_devices() || package.texts.contains("schedule.json"))
            schedule = schedule_entry("schedule.json");
        name = manifest.at("name").get<std::string>();
        for (const Json& open : manifest.at("open_sizes"))
            open_sizes.push_back({open.at("name").get<std::string>(), open.at("input").get<int>(),
                                  open.at("axis").get<int>()});
        FileBudget budget(path, 0);
        inputs = ports_from(manifest.at("inputs"), {open_sizes, budget});
        outputs = ports_from(manifest.at("outputs"), {open_sizes, budget});
        for (const OpenSize& open : open_sizes)
            if (open.input < 0 || size_t(open.input) >= inputs.size() || open.axis < 0 ||
                size_t(open.axis) >= inputs[size_t(open.input)].sizes.size())
                fail<FileError>("size '{}' is axis {} of input {}", open.name, open.axis,
                                open.input);
        std::set<std::string> names;
        for (const Json& state : manifest.at("states")) {
            states.push_back({state.at("name").get<std::string>(),
                              state.at("entry").get<std::string>(), array_of(package, state)});
            if (!names.insert(states.back().name).second)
                fail<FileError>("two states are called '{}'", states.back().name);
        }
        for (const Json& constant : manifest.at("constants"))
            constants.push_back(array_of(package, constant));
        for (const Json& source : manifest.at("sources")) sources.push_back(value_from(source));
        for (const Json& result : manifest.at("results")) results.push_back(value_from(result));
        assigned = manifest.at("assigned").get<std::vector<int>>();
        for (const Json& code : manifest.at("code"))
            codes.push_back(
                {code.at("architecture").get<std::string>(), code.at("level").get<std::string>(),
                 code.at("library").get<std::string>(), code.at("object").get<std::string>()});
        for (const Json& number : manifest.at("numbers"))
            if (number.at("name").get<std::string>().size() > 4096 ||
                (!number.at("value").is_number() && !number.at("value").is_string() &&
                 !number.at("value").is_object()))
                fail<FileError>("a number is {}", number.at("value").dump());
        check_values(sources, *this, 0, "an input of the program");
        for (const Json* document : {&schedule, &device_schedule}) {
            if (!document->is_object()) continue;
            const size_t count = document->at("results").size();
            if (document == &schedule || !is_for_host()) result_count_ = count;
            if (document->at("inputs").size() != sources.size() || count != result_count_ ||
                count < assigned.size() || results.size() != outputs.size())
                fail<FileError>("schedule and manifest are of different programs");
            check_values(results, *this, result_count_ - assigned.size(), "an output");
        }
        for (int state : assigned)
            if (state < 0 || size_t(state) >= states.size())
                fail<FileError>("state {} of {} is assigned", state, states.size());
    });
}

Json Contents::schedule_entry(const std::string& entry) const {
    auto text = package.texts.find(entry);
    if (text == package.texts.end()) fail<FileError>("entry '{}' is missing", entry);
    check_json(text->second, path + "(" + entry + ")");
    Json document = Json::parse(text->second);
    if (!document.is_object()) fail<FileError>("entry '{}' is not a schedule", entry);
    return document;
}

Type Contents::type_at(const Json& port, std::span<const int64_t> sizes) const {
    return reading(path, [&] {
        const Json shape = with_sizes(port.at("shape"), sizes);
        return Type{parse_dtype(port.at("dtype").get<std::string>()),
                    Shape(std::span<const int64_t>(shape.get<std::vector<int64_t>>()))};
    });
}

std::vector<int64_t> Contents::sizes_of(std::span<const Array> arguments,
                                        const Device& device) const {
    auto type_text = [&](size_t i) {
        return fmt::format("{}[{}]", name_of(inputs[i].dtype), fmt::join(inputs[i].sizes, ","));
    };
    if (arguments.size() != inputs.size()) {
        std::string takes;
        for (size_t i = 0; i < inputs.size(); ++i)
            takes += fmt::format("{} {} {}", i ? "," : ":", inputs[i].name, type_text(i));
        fail<ValueError>("program {}: {} arrays are given, it takes {}{}", name, arguments.size(),
                         inputs.size(), takes);
    }
    auto wrong = [&](size_t i) {
        return fmt::format("program {}: input '{}' is {}, it takes {}", name, inputs[i].name,
                           to_string(arguments[i].type()), type_text(i));
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!arguments[i].defined())
            fail<ValueError>("program {}: input '{}' is not given", name, inputs[i].name);
        if (arguments[i].dtype() != inputs[i].dtype) throw DtypeError(wrong(i));
        if (size_t(arguments[i].rank()) != inputs[i].sizes.size()) throw ShapeError(wrong(i));
        if (&arguments[i].device() != &device)
            fail<DeviceError>("program {}: input '{}' is on {}, it runs on {}; move it there first",
                              name, inputs[i].name, arguments[i].device().name(), device.name());
    }
    std::vector<int64_t> sizes;
    for (const OpenSize& open : open_sizes)
        sizes.push_back(arguments[size_t(open.input)].dim(open.axis));
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!(type_at(manifest.at("inputs").at(i), sizes) == arguments[i].type()))
            throw ShapeError(wrong(i));
    for (size_t k = 0; k < sizes.size(); ++k)
        if (sizes[k] < 1)
            fail<ShapeError>("program {}: size '{}' is {}, it is at least 1", name,
                             open_sizes[k].name, sizes[k]);
    return sizes;
}

std::vector<double> Contents::numbers_at(std::span<const int64_t> sizes) const {
    return reading(path, [&] {
        std::vector<double> numbers;
        for (const Json& number : manifest.at("numbers"))
            numbers.push_back(number_from(with_sizes(number.at("value"), sizes)));
        return numbers;
    });
}

Schedule Contents::schedule_at(std::span<const int64_t> sizes) const {
    if (!is_for_host()) fail<FileError>("{}: has no code for {}", path, cpu_device().name());
    Schedule made = sized(schedule, sizes);
    for (const KernelLaunch& kernel : made.kernels)
        if (!kernel.symbol.ends_with(fmt::format("_{}", code_form(kernel))))
            fail<FileError>("{}: the description of kernel {} does not match its code", path,
                            kernel.symbol);
    return made;
}

Schedule Contents::device_schedule_at(std::span<const int64_t> sizes) const {
    Schedule made = sized(device_schedule, sizes);
    for (const KernelLaunch& kernel : made.kernels)
        if (kernel.device.threads == 0)
            fail<FileError>("{}: kernel {} is not for devices", path, kernel.symbol);
    for (const LibraryCall& call : made.library_calls)
        if (!call.elements && !runs_anywhere(*call.op))
            fail<FileError>("{}: has no kernels for {}", path, call.op->name);
    return made;
}

Schedule Contents::sized(const Json& document, std::span<const int64_t> sizes) const {
    return reading(path, [&] {
        Schedule made = schedule_from(with_sizes(document, sizes));
        for (size_t i = 0; i < sources.size(); ++i) {
            const Value& source = sources[i];
            const Type type = source.kind == Value::argument
                                  ? type_at(manifest.at("inputs").at(size_t(source.index)), sizes)
                              : source.kind == Value::state
                                  ? states[size_t(source.index)].array.type()
                                  : constants[size_t(source.index)].type();
            if (!(made.input_types[i] == type))
                fail<FileError>("input {} of the schedule is {}, it is given {}", i,
                                to_string(made.input_types[i]), to_string(type));
        }
        const size_t count = manifest.at("numbers").size();
        auto check_numbers = [&](const std::vector<int>& indices) {
            for (int index : indices)
                if (index < 0 || size_t(index) >= count)
                    fail<FileError>("number {} of {} is read", index, count);
        };
        for (const KernelLaunch& kernel : made.kernels) check_numbers(kernel.scalars);
        for (const LibraryCall& call : made.library_calls) check_numbers(call.scalars);
        for (size_t i = 0; i < results.size(); ++i) {
            if (results[i].kind != Value::result) continue;
            const Result& result = made.results[size_t(results[i].index)];
            const Type& type =
                result.input >= 0 ? made.input_types[size_t(result.input)] : result.view.type;
            if (!(type == type_at(manifest.at("outputs").at(i), sizes)))
                fail<FileError>("output '{}' would be {}", outputs[i].name, to_string(type));
        }
        const size_t first = made.results.size() - assigned.size();
        for (size_t a = 0; a < assigned.size(); ++a) {
            const Result& result = made.results[first + a];
            const Type& type =
                result.input >= 0 ? made.input_types[size_t(result.input)] : result.view.type;
            if (!(type == states[size_t(assigned[a])].array.type()))
                fail<FileError>("state '{}' would become {}", states[size_t(assigned[a])].name,
                                to_string(type));
        }
        return made;
    });
}

}  // namespace catena::program
