#include "support/setup.h"

#include <catena/catena.h>

#include <charconv>
#include <fstream>

namespace ct = catena;

namespace examples {

Setup::Setup(const std::string& path) : path_(path) {
    std::ifstream file(path);
    if (!file)
        ct::fail<ct::FileError>("cannot open {}, which the training writes beside its model", path);
    std::string line;
    for (int number = 1; std::getline(file, line) && !line.empty(); ++number) {
        const size_t space = line.find(' ');
        if (space == std::string::npos)
            ct::fail<ct::FileError>("{}:{}: expected a name and a value, found '{}'", path, number,
                                    line);
        settings_[line.substr(0, space)] = line.substr(space + 1);
    }
    while (std::getline(file, line)) words_.push_back(line);
    if (settings_.empty()) ct::fail<ct::FileError>("{} has no settings", path);
}

void Setup::save(const std::string& path) const {
    std::ofstream file(path);
    for (const auto& [name, value] : settings_) file << name << ' ' << value << '\n';
    file << '\n';
    for (const std::string& word : words_) file << word << '\n';
    if (!file.flush()) ct::fail<ct::FileError>("cannot write {}", path);
}

const std::string& Setup::text(const std::string& name) const {
    const auto found = settings_.find(name);
    if (found == settings_.end()) ct::fail<ct::FileError>("{} does not say '{}'", path_, name);
    return found->second;
}

int64_t Setup::number(const std::string& name) const {
    const std::string& value = text(name);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
        ct::fail<ct::FileError>("{}: '{}' should be a number, not '{}'", path_, name, value);
    return number;
}

void Setup::set_words(const std::map<std::string, int32_t>& numbers) {
    words_.assign(numbers.size(), "");
    for (const auto& [word, number] : numbers) words_.at(size_t(number)) = word;
}

std::map<std::string, int32_t> Setup::numbers() const {
    std::map<std::string, int32_t> numbers;
    for (const std::string& word : words_) numbers[word] = int32_t(numbers.size());
    return numbers;
}

}  // namespace examples
