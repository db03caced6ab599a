#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "runtime/core/system/nearest.h"
#include "tools/catena/commands.h"
#include "tools/catena/completion.h"
#include "tools/catena/terminal.h"

namespace {

/// --color, wherever it stands: what goes wrong while the other words are read is coloured, too.
void add_color(CLI::App& program) {
    CLI::Option* color = program
                             .add_option_function<std::string>(
                                 "--color", catena::tool::set_color,
                                 "colours: always, never or auto (on terminals, unless "
                                 "NO_COLOR is set)")
                             ->check(CLI::IsMember({"always", "never", "auto"}))
                             ->trigger_on_parse();
    catena::tool::complete_with(
        color, [](auto) { return std::vector<std::string>{"always", "auto", "never"}; });
    for (CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        command->fallthrough();
}

/// What CLI11 says of wrong words, or help that was asked for.
int finish(const CLI::App& program, const CLI::ParseError& error) {
    std::ostringstream errors;
    const int status = program.exit(error, std::cout, errors);
    catena::tool::print_usage_error(errors.str());
    return status;
}

/// CLI11 would say that a subcommand is missing, whatever the first word is.
void check_subcommand(const CLI::App& program, const std::vector<std::string>& words) {
    if (words.empty() || words[0].starts_with('-')) return;
    std::vector<std::string> names{"help"};
    for (const CLI::App* subcommand : program.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(subcommand->get_name());
    if (catena::tool::find_subcommand(program, words[0])) return;
    throw CLI::ParseError(fmt::format("there is no subcommand '{}'; the nearest is {}", words[0],
                                      catena::nearest(words[0], names).at(0)),
                          CLI::ExitCodes::ExtrasError);
}

/// The words of the command line; `help WORDS` is what other programs call `WORDS --help`.
std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words[0] == "help") {
        words.erase(words.begin());
        words.push_back("--help");
    }
    return words;
}

/// Status of a command that ended with `status`, once all that it printed is written.
int flushed(int status) {
    const bool written =
        bool(std::cout.flush()) & (std::fflush(stdout) == 0) & (std::ferror(stdout) == 0);
    if (written || status != 0) return status;
    catena::tool::print_error(
        fmt::format("standard output could not be written: {}", std::strerror(errno)));
    return 1;
}

int run(CLI::App& program, int argc, char** argv) {
    try {
        if (catena::tool::answer_completion(program, argc, argv)) return 0;
        std::vector<std::string> words = words_of(argc, argv);
        check_subcommand(program, words);
        std::reverse(words.begin(), words.end());  // CLI11 takes them from the end.
        program.parse(words);
    } catch (const CLI::ParseError& error) {
        return finish(program, error);
    } catch (const std::bad_alloc&) {
        catena::tool::print_error("out of memory");
        return 1;
    } catch (const std::exception& error) {
        catena::tool::print_error(error.what());
        return 1;
    }
    return 0;
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
    catena::tool::add_compile(program);
    catena::tool::add_export(program);
    catena::tool::add_bench(program);
    catena::tool::add_launch(program);
    catena::tool::add_completion(program);
    add_color(program);
    return flushed(run(program, argc, argv));
}
