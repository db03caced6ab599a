#include <iostream>
#include <new>

#include "frontend/tools/catena/commands.h"
#include "runtime/core/error.h"

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
