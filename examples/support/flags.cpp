#include "support/flags.h"

#include <catena/catena.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ct = catena;

namespace examples {
namespace {

/// Whatever the locale: "0.5", never "0,5".
template <class Number>
Number number_of(const std::string& text, const char* kind) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [read_to, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || read_to != end || text.empty())
        ct::fail<ct::ValueError>("should be {}, not '{}'", kind, text);
    return number;
}
int64_t integer_of(const std::string& text) { return number_of<int64_t>(text, "an integer"); }
double real_of(const std::string& text) { return number_of<double>(text, "a number"); }

std::vector<std::string> names_in(const std::string& names) {
    std::vector<std::string> found;
    std::istringstream stream(names);
    for (std::string name; std::getline(stream, name, ',');) found.push_back(name);
    return found;
}

}  // namespace

void Flags::add(const std::string& names, const std::string& text, std::string shown, Reader read,
                bool takes_value) {
    flags_.push_back({names_in(names), text, std::move(shown), takes_value, std::move(read)});
}

void Flags::add(const std::string& names, int64_t& value, const std::string& text, int64_t least) {
    add(names, text, fmt::format("{}", value), [&value, least](const std::string& given) {
        const int64_t number = integer_of(given);
        if (number < least)
            ct::fail<ct::ValueError>("should be at least {}, not {}", least, number);
        value = number;
    });
}
void Flags::add(const std::string& names, double& value, const std::string& text) {
    add(names, text, fmt::format("{}", value),
        [&value](const std::string& given) { value = real_of(given); });
}
void Flags::add(const std::string& names, std::string& value, const std::string& text) {
    add(names, text, value, [&value](const std::string& given) { value = given; });
}
void Flags::add(const std::string& names, bool& value, const std::string& text) {
    add(names, text, "", [&value](const std::string&) { value = true; }, false);
}
void Flags::add(const std::string& names, std::optional<int64_t>& value, const std::string& text) {
    add(names, text, "", [&value](const std::string& given) { value = integer_of(given); });
}
void Flags::add(const std::string& names, std::optional<double>& value, const std::string& text) {
    add(names, text, "", [&value](const std::string& given) { value = real_of(given); });
}

void Flags::add_choice(const std::string& names, std::string& value,
                       const std::vector<std::string>& words, const std::string& text) {
    add(names, fmt::format("{} ({})", text, fmt::join(words, ", ")), value,
        [&value, words](const std::string& given) {
            if (std::find(words.begin(), words.end(), given) == words.end())
                ct::fail<ct::ValueError>("should be one of {}, not '{}'", fmt::join(words, ", "),
                                         given);
            value = given;
        });
}

void Flags::add_argument(const std::string& name, std::string& value, const std::string& text) {
    arguments_.push_back(
        {{name}, text, "", true, [&value](const std::string& given) { value = given; }});
}

const Flags::Flag& Flags::named(const std::string& name) const {
    for (const Flag& flag : flags_)
        if (std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end()) return flag;
    ct::fail<ct::ValueError>("there is no flag {}; --help tells which there are", name);
}

void Flags::read_words(const std::vector<std::string>& words) {
    size_t arguments = 0;
    for (size_t i = 0; i < words.size(); ++i) {
        std::string word = words[i];
        if (!word.starts_with("-") || word == "-") {
            if (arguments == arguments_.size())
                ct::fail<ct::ValueError>("'{}' belongs to no flag; --help tells which there are",
                                         word);
            arguments_[arguments++].read(word);
            continue;
        }
        std::optional<std::string> value;
        if (const size_t equals = word.find('='); equals != std::string::npos) {
            value = word.substr(equals + 1);
            word.resize(equals);
        }
        const Flag& flag = named(word);
        if (!flag.takes_value && value) ct::fail<ct::ValueError>("{} takes no value", word);
        if (flag.takes_value && !value) {
            if (++i == words.size()) ct::fail<ct::ValueError>("{} takes a value", word);
            value = words[i];
        }
        try {
            flag.read(value.value_or(""));
        } catch (const ct::ValueError& error) {
            ct::fail<ct::ValueError>("{}: {}", word, error.what());
        }
    }
    if (arguments < arguments_.size())
        ct::fail<ct::ValueError>("{} is missing: {}", arguments_[arguments].names[0],
                                 arguments_[arguments].text);
}

std::optional<int> Flags::read(int argc, char** argv) {
    const std::string program = std::filesystem::path(argv[0]).filename().string();
    const std::vector<std::string> words(argv + 1, argv + argc);
    for (const char* name : {"-h", "--help"})
        if (std::find(words.begin(), words.end(), name) != words.end()) {
            fmt::print("{}", help(program));
            return 0;
        }
    try {
        read_words(words);
    } catch (const ct::ValueError& error) {
        fmt::print(stderr, "{}: {}\n", program, error.what());
        return 1;
    }
    return std::nullopt;
}

std::string Flags::help(const std::string& program) const {
    std::string text = fmt::format("{}\nusage: {} [flags]", description_, program);
    for (const Flag& argument : arguments_) text += " " + argument.names[0];
    text += "\n\n";
    const auto line = [&text](const std::string& names, const std::string& about) {
        text += fmt::format("  {:<28}{}{}\n", names,
                            names.size() < 28 ? "" : "\n" + std::string(30, ' '), about);
    };
    for (const Flag& argument : arguments_) line(argument.names[0], argument.text);
    for (const Flag& flag : flags_) {
        const std::string shown = flag.shown.empty() ? "" : fmt::format(" [{}]", flag.shown);
        line(fmt::format("{}{}", fmt::join(flag.names, ", "), flag.takes_value ? " VALUE" : ""),
             flag.text + shown);
    }
    line("-h, --help", "what this prints");
    return text;
}

}  // namespace examples
