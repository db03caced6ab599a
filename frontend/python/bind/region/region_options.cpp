#include "frontend/python/bind/region/region_options.h"

#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/ranges.h>

#include "frontend/python/bind/convert/converted.h"

namespace catena::python {
namespace {

template <class Choice, size_t N>
using Choices = std::array<std::pair<std::string_view, Choice>, N>;

constexpr Choices<Audit, 3> audits = {
    {{"always", Audit::always}, {"sampled", Audit::sampled}, {"never", Audit::never}}};
constexpr Choices<CompileMode, 3> compile_modes = {{{"now", CompileMode::now},
                                                    {"later", CompileMode::later},
                                                    {"background", CompileMode::background}}};

template <class Choice, size_t N>
Choice chosen(const Choices<Choice, N>& choices, const char* option, nb::handle value) {
    std::vector<std::string_view> names;
    for (const auto& [name, choice] : choices) {
        if (PyUnicode_Check(value.ptr()) && to_string(value.ptr()) == name) return choice;
        names.push_back(name);
    }
    fail<ValueError>("{} is {}: it is '{}'", option, to_string(nb::repr(value).ptr()),
                     fmt::join(names, "', '"));
}

/// What each keyword does to the options.
template <class Options>
using Setters = std::map<std::string, void (*)(Options&, nb::handle)>;

template <class Options>
Options options_from(PyObject* keywords, const Setters<Options>& setters, const char* function) {
    Options options;
    if (!keywords) return options;
    for (auto [key, value] : nb::borrow<nb::dict>(keywords)) {
        const std::string name = to_string(key.ptr());
        const auto setter = setters.find(name);
        if (setter == setters.end()) {
            std::vector<std::string> names;
            for (const auto& [known, unused] : setters) names.push_back(known);
            throw nb::type_error(fmt::format("{}() got an unexpected keyword argument '{}': there "
                                             "are {}",
                                             function, name, fmt::join(names, ", "))
                                     .c_str());
        }
        setter->second(options, value);
    }
    return options;
}

size_t bytes(const char* option, nb::handle value) {
    const auto number = converted<int64_t>(option, value, "a number of bytes");
    if (number < 0) fail<ValueError>("{} is {}: a number of bytes is at least 0", option, number);
    return size_t(number);
}

using Texts = std::vector<std::string>;

}  // namespace

StaticGraphOptions region_options(PyObject* keywords) {
    using Options = StaticGraphOptions;
    static const Setters<Options>& setters = *new Setters<Options>{
        {"name",
         [](Options& o, nb::handle v) { o.name = converted<std::string>("name", v, "a text"); }},
        {"audit", [](Options& o, nb::handle v) { o.audit = chosen(audits, "audit", v); }},
        {"compile_mode",
         [](Options& o, nb::handle v) {
             o.compile_mode = chosen(compile_modes, "compile_mode", v);
         }},
        {"keep_grads",
         [](Options& o, nb::handle v) {
             o.keep_grads = converted<bool>("keep_grads", v, "a bool");
         }},
        {"breaks",
         [](Options& o, nb::handle v) { o.breaks = converted<bool>("breaks", v, "a bool"); }},
        {"watches_memory",
         [](Options& o, nb::handle v) {
             o.watches_memory = converted<bool>("watches_memory", v, "a bool");
         }},
        {"verify",
         [](Options& o, nb::handle v) { o.verify = converted<bool>("verify", v, "a bool"); }},
        {"cache_bytes", [](Options& o, nb::handle v) { o.cache_bytes = bytes("cache_bytes", v); }},
        {"memory_budget",
         [](Options& o, nb::handle v) { o.memory_budget = bytes("memory_budget", v); }}};
    return options_from(keywords, setters, "jit");
}

PackageOptions package_options(PyObject* keywords) {
    using Options = PackageOptions;
    static const Setters<Options>& setters = *new Setters<Options>{
        {"input_names",
         [](Options& o, nb::handle v) {
             o.input_names = converted<Texts>("input_names", v, "a list of texts");
         }},
        {"output_names",
         [](Options& o, nb::handle v) {
             o.output_names = converted<Texts>("output_names", v, "a list of texts");
         }},
        {"open_sizes", [](Options& o, nb::handle v) { o.open_sizes = open_sizes(v); }},
        {"code_levels",
         [](Options& o, nb::handle v) {
             o.code_levels = converted<Texts>("code_levels", v, "a list of texts");
         }},
        {"cuda_architectures",
         [](Options& o, nb::handle v) {
             o.cuda_architectures = converted<Texts>("cuda_architectures", v, "a list of texts");
         }},
        {"stages",
         [](Options& o, nb::handle v) { o.stages = converted<bool>("stages", v, "a bool"); }}};
    return options_from(keywords, setters, "save");
}

std::vector<OpenSize> open_sizes(nb::handle object) {
    std::vector<OpenSize> sizes;
    try {
        for (nb::handle one : object) {
            const nb::object parts = nb::tuple(one);
            if (nb::len(parts) != 3) throw nb::cast_error();
            sizes.push_back({nb::cast<int>(parts[0]), nb::cast<int>(parts[1]),
                             nb::cast<std::string>(parts[2])});
        }
        return sizes;
    } catch (const nb::cast_error&) {
    } catch (const nb::python_error&) {  // No sequence.
    }
    fail<DtypeError>(
        "open_sizes is {}: it is a list of (input, axis, name), such as [(0, 0, 'batch')]",
        to_string(nb::repr(object).ptr()));
}

}  // namespace catena::python
