// catena show: what a compiled program in a file is, and its forms on the way to code.
#include <iostream>
#include <memory>

#include "frontend/tools/catena/commands.h"
#include "runtime/core/error.h"
#include "runtime/program/program.h"

namespace catena::tool {
namespace {

void print_ports(const char* what, const std::vector<Program::Port>& ports) {
    for (const Program::Port& port : ports) {
        std::string sizes;
        for (const std::string& size : port.sizes) sizes += (sizes.empty() ? "" : ",") + size;
        fmt::print("{:<8} {} {}[{}]\n", what, port.name, name_of(port.dtype), sizes);
    }
}

void print_contents(const Program& program) {
    fmt::print("{:<8} {}\n", "program", program.name());
    for (const std::string& target : program.targets()) fmt::print("{:<8} {}\n", "code", target);
    print_ports("input", program.inputs());
    print_ports("output", program.outputs());
    for (const std::string& name : program.state_names())
        fmt::print("{:<8} {} {}\n", "state", name, to_string(program.state(name).type()));
    for (const Program::Number& number : program.numbers())
        if (!number.name.empty()) fmt::print("{:<8} {} = {}\n", "number", number.name, number.value);
    std::string stages;
    for (const std::string& stage : program.stages()) stages += (stages.empty() ? "" : " ") + stage;
    fmt::print("{:<8} {}\n", "stages", stages.empty() ? "none were kept" : stages);
}

}  // namespace

void add_show(CLI::App& program) {
    struct Options {
        std::string file, stage;
    };
    auto options = std::make_shared<Options>();
    auto* command = program.add_subcommand("show", "prints what a program (.catena) is");
    command->add_option("program", options->file, "the file")->required();
    command->add_option("--stage", options->stage,
                        "print the program as it was at a stage: program.txt, program.dot (for Graphviz), import.mlir, "
                        "fused.mlir, schedule.txt, LEVEL.ll, LEVEL.s, cuda_schedule.txt, kernels.cu");
    command->callback([options] {
        const Program loaded = Program::open(options->file);
        if (options->stage.empty())
            print_contents(loaded);
        else
            std::cout << loaded.stage(options->stage);
    });
}

}  // namespace catena::tool
