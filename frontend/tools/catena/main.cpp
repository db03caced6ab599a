#include <algorithm>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "frontend/tools/catena/commands.h"
#include "runtime/core/error.h"
#include "runtime/core/nearest.h"

namespace {

/// CLI11 would say that a subcommand is missing, whatever the first word is.
void check_subcommand(const CLI::App& program, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    std::vector<std::string> names;
    for (const CLI::App* subcommand : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(subcommand->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
    throw CLI::ParseError(fmt::format("there is no subcommand '{}'; the nearest is {}", argv[1],
                                      catena::nearest(argv[1], names).at(0)),
                          CLI::ExitCodes::ExtrasError);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App program("Catena: define-by-run deep learning with a compiler under it", "catena");
    program.set_version_flag("--version", CATENA_VERSION);
    program.require_subcommand(1);
    catena::tool::add_info(program);
    catena::tool::add_call(program);
    catena::tool::add_run(program);
    catena::tool::add_show(program);
    catena::tool::add_export(program);
    catena::tool::add_bench(program);
    try {
        check_subcommand(program, argc, argv);
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error);
    } catch (const catena::Error& error) {
        std::cerr << "catena: " << error.what() << '\n';
        return 1;
    } catch (const std::bad_alloc&) {
        std::cerr << "catena: out of memory\n";
        return 1;
    } catch (const std::exception& error) {
        std::cerr << "catena: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
