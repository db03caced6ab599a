#include <map>
#include <string>
#include <vector>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/python/bind/convert/dtype_caster.h"
#include "frontend/python/bind/convert/location.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/convert/path.h"
#include "frontend/python/bind/module.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/program/file/program.h"

// Compiled programs from files, as functions.

namespace catena::python {
namespace {

/// An array of the port's dtype, unless the object has one of its own that does not fit.
Array input_for(const Program::Port& port, nb::handle object, Device& device) {
    if (is_variable(object.ptr())) return variable_in(object.ptr()).array().to(device);
    const Array array =
        is_ndarray(object.ptr()) ? array_of(object.ptr()) : array_from(object.ptr(), port.dtype);
    return array.to(device);
}

size_t input_number(const Program& program, const std::string& name) {
    const auto& ports = program.inputs();
    std::string names;
    for (size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].name == name) return i;
        names += (i ? ", " : "") + ports[i].name;
    }
    throw nb::type_error(
        fmt::format("program {} has no input '{}': it has {}", program.name(), name, names)
            .c_str());
}

/// The arguments in the order of the inputs.
std::vector<Array> inputs_of(const Program& program, const nb::args& arguments,
                             const nb::kwargs& named) {
    const auto& ports = program.inputs();
    std::vector<Array> inputs(ports.size());
    if (arguments.size() > ports.size())
        throw nb::type_error(fmt::format("program {} takes {} inputs, {} were given",
                                         program.name(), ports.size(), arguments.size())
                                 .c_str());
    for (size_t i = 0; i < arguments.size(); ++i)
        inputs[i] = input_for(ports[i], arguments[i], program.device());
    for (auto [name, value] : named) {
        const size_t i = input_number(program, to_string(name.ptr()));
        if (inputs[i].defined())
            throw nb::type_error(
                fmt::format("program {} got its input '{}' twice", program.name(), ports[i].name)
                    .c_str());
        inputs[i] = input_for(ports[i], value, program.device());
    }
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].defined())
            throw nb::type_error(
                fmt::format("program {} misses its input '{}'", program.name(), ports[i].name)
                    .c_str());
    return inputs;
}

/// One Variable, or a tuple of them.
nb::object call_program(Program& program, const nb::args& arguments, const nb::kwargs& named) {
    const std::vector<Array> inputs = inputs_of(program, arguments, named);
    std::vector<Array> outputs;
    {
        const OthersMayRun others_may_run;
        outputs = program.run(inputs);
    }
    if (outputs.size() == 1) return nb::steal(new_variable(Variable(outputs[0], false)));
    nb::list results;
    for (const Array& output : outputs)
        results.append(nb::steal(new_variable(Variable(output, false))));
    return nb::tuple(results);
}

nb::dict states_of(const Program& program) {
    nb::dict states;
    for (const std::string& name : program.state_names())
        states[nb::cast(name)] = nb::steal(ndarray_of(program.state(name)));
    return states;
}

void set_state(Program& program, const std::string& name, nb::handle content) {
    const Dtype dtype = program.state(name).dtype();
    const Array array = is_variable(content.ptr())  ? variable_in(content.ptr()).array()
                        : is_ndarray(content.ptr()) ? copied_array_of(content.ptr())
                                                    : array_from(content.ptr(), dtype);
    program.set_state(name, array);
}

std::map<std::string, double> numbers_of(const Program& program) {
    std::map<std::string, double> numbers;
    for (const Program::Number& number : program.numbers()) numbers[number.name] = number.value;
    return numbers;
}

std::string to_text(const Program::Port& port) {
    std::string sizes;
    for (const std::string& size : port.sizes) sizes += (sizes.empty() ? "" : ",") + size;
    return fmt::format("{} {}[{}]", port.name, name_of(port.dtype), sizes);
}

std::string to_text(const Program& program) {
    std::string text = fmt::format("<catena.Program {}", program.name());
    const auto list = [&](const char* before, const std::vector<Program::Port>& ports) {
        for (size_t i = 0; i < ports.size(); ++i) text += (i ? ", " : before) + to_text(ports[i]);
    };
    list(": ", program.inputs());
    list(" -> ", program.outputs());
    return text + ">";
}

void bind_port(nb::module_& m) {
    nb::class_<Program::Port>(m, "ProgramPort", "An input or output of a program.")
        .def_ro("name", &Program::Port::name, "By which it is passed.")
        .def_prop_ro("dtype", [](const Program::Port& port) { return port.dtype; })
        .def_ro("sizes", &Program::Port::sizes, "Texts: open sizes have names, ['batch', '784'].")
        .def("__repr__", [](const Program::Port& port) {
            return "<catena.ProgramPort " + to_text(port) + ">";
        });
}

void bind_members(nb::class_<Program>& type) {
    type.def_prop_ro("name", &Program::name, "The region's.")
        .def_prop_ro("inputs", &Program::inputs, "A list of ProgramPorts, in the order of a call.")
        .def_prop_ro("outputs", &Program::outputs,
                     "A list of ProgramPorts, in the order of the results.")
        .def_prop_ro("code_level", &Program::code_level, "The level of the code in use: \"avx2\".")
        .def_prop_ro("targets", &Program::targets, "What the file has code for.")
        .def_prop_ro(
            "device", [](const Program& program) { return program.device().name(); },
            "Where it runs: \"cpu\", \"cuda:0\".")
        .def_prop_ro("states", states_of, "The parameters and other states, by name: copies.")
        .def("set_state", set_state, nb::arg("name"), nb::arg("content"),
             "Gives a state other content. ShapeError or DtypeError where the type differs.")
        .def_prop_ro("numbers", numbers_of, "The hyperparameters, by name.")
        .def("set_number", &Program::set_number, nb::arg("name"), nb::arg("value"),
             "Sets all numbers of that name.")
        .def("stages", &Program::stages, "Names of the stored stages of its compilation.")
        .def("stage", &Program::stage, nb::arg("name"), "The text of one.")
        .def("verify", &Program::verify,
             "Checks the whole file except its machine code. FileError naming the place.")
        .def(
            "save", [](const Program& program, nb::handle path) { program.save(path_of(path)); },
            nb::arg("path"), "Writes the file with the present states and numbers.")
        .def("__repr__", [](const Program& program) { return to_text(program); });
}

}  // namespace

void bind_program(nb::module_& m) {
    bind_port(m);
    nb::class_<Program> type(
        m, "Program",
        "A compiled program from a file that save() of a static region wrote, as a function.\n\n"
        "Needs no compiler. Called with arrays, by position or by the names of its inputs, it "
        "returns a\nVariable, or a tuple of them, and updates its states.");
    type.def(
            "__init__",
            [](Program* place, nb::handle path, const std::string& device) {
                new (place) Program(Program::load(path_of(path), {.device = device}));
            },
            nb::arg("path"), nb::kw_only(), nb::arg("device") = "cpu",
            "FileError naming file and entry where it is damaged, or has no code for this "
            "processor.")
        .def_static(
            "open", [](nb::handle path) { return Program::open(path_of(path)); }, nb::arg("path"),
            "For inspection: loads no code, and cannot be called.")
        .def("__call__", call_program, nb::arg("inputs"), nb::arg("named"));
    bind_members(type);
}

}  // namespace catena::python
