// catena complete: what may come next on a command line. Everything is read off the program's own
// options.
#include "tools/catena/completion.h"

#include <iostream>
#include <map>
#include <set>

#include "tools/catena/commands.h"
#include "tools/completion/completion_scripts.inc"

namespace catena::tool {
namespace {

std::map<const CLI::Option*, Values>& known_values() {
    static auto& map = *new std::map<const CLI::Option*, Values>;
    return map;
}

using Words = std::span<const std::string>;

/// What begins with the word that is being typed.
class Answers {
public:
    explicit Answers(const std::string& begun) : begun_(begun) {}
    void add(const std::string& word, const std::string& description = "") {
        if (!word.starts_with(begun_) || !given_.insert(word).second) return;
        text_ += word;
        if (!description.empty())
            text_ += '\t' + description.substr(0, description.find_first_of("\n;"));
        text_ += '\n';
    }
    void add_values(const CLI::Option& option, Words before) {
        const auto found = known_values().find(&option);
        if (found == known_values().end()) return;
        for (const std::string& value : found->second(before)) add(value);
    }
    std::string text() const { return text_; }

private:
    const std::string& begun_;
    std::set<std::string> given_;
    std::string text_;
};

void add_options(Answers& answers, const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_group().empty()) continue;
        for (const std::string& name : option->get_lnames())
            answers.add("--" + name, option->get_description());
        for (const std::string& name : option->get_snames())
            answers.add("-" + name, option->get_description());
    }
}

/// The option of that name, of the subcommand or of the program.
const CLI::Option* option_called(const std::string& name, const CLI::App& command) {
    for (const CLI::App* app : {&command, command.get_parent()})
        if (app)
            if (const CLI::Option* option = app->get_option_no_throw(name)) return option;
    return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

/// The argument that the word behind `before` is: what an option waits for, or by position. Null:
/// none is left.
const CLI::Option* expected_argument(const CLI::App& command, Words before) {
    const CLI::Option* waiting = nullptr;
    int position = 0;
    for (const std::string& word : before) {
        if (waiting) {
            waiting = nullptr;
        } else if (word.starts_with('-') && word.size() > 1) {
            const CLI::Option* option = option_called(word, command);
            if (option && takes_value(*option)) waiting = option;
        } else {
            ++position;
        }
    }
    if (waiting) return waiting;
    const CLI::Option* last = nullptr;
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        last = option;
        if (position-- == 0) return option;
    }
    return last && last->get_expected_max() > 1 ? last : nullptr;
}

}  // namespace

void complete_with(CLI::Option* option, Values values) {
    known_values()[option] = std::move(values);
}

std::string completions(const CLI::App& program, Words words) {
    if (words.empty()) return "";
    const std::string& begun = words.back();
    Answers answers(begun);
    // Options of the program may stand before the subcommand.
    const CLI::App* command = nullptr;
    Words before = words.first(words.size() - 1);
    while (!before.empty() && !command) {
        const std::string& word = before.front();
        const CLI::Option* option = program.get_option_no_throw(word);
        const bool with_value = option && takes_value(*option);
        if (with_value && before.size() == 1) {
            answers.add_values(*option, before);
            return answers.text();
        }
        if (!word.starts_with('-') && !(command = find_subcommand(program, word))) return "";
        before = before.subspan(with_value ? 2 : 1);
    }
    if (!command) {
        if (begun.starts_with('-'))
            add_options(answers, program);
        else
            for (const CLI::App* subcommand :
                 program.get_subcommands([](const CLI::App*) { return true; }))
                answers.add(subcommand->get_name(), subcommand->get_description());
        return answers.text();
    }
    const CLI::Option* argument = expected_argument(*command, before);
    if (begun.starts_with('-') && (!argument || argument->get_positional())) {
        add_options(answers, *command);
        add_options(answers, program);
    } else if (argument) {
        answers.add_values(*argument, before);
    }
    return answers.text();
}

bool answer_completion(const CLI::App& program, int argc, char** argv) {
    if (argc < 3 || std::string_view(argv[1]) != "complete" || std::string_view(argv[2]) != "--")
        return false;
    const std::vector<std::string> words(argv + 3, argv + argc);
    std::cout << completions(program, words);
    return true;
}

void add_completion(CLI::App& program) {
    auto* completion = program.add_subcommand(
        "completion", "prints the completion of a shell: source <(catena completion bash)");
    auto shell = std::make_shared<std::string>();
    auto* option = completion->add_option("shell", *shell, "bash or zsh")
                       ->required()
                       ->check(CLI::IsMember({"bash", "zsh"}));
    complete_with(option, [](Words) { return std::vector<std::string>{"bash", "zsh"}; });
    completion->callback(
        [shell] { std::cout << (*shell == "bash" ? bash_completion : zsh_completion); });
}

}  // namespace catena::tool
