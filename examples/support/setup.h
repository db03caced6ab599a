#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace examples {

/// What a program must know to use a trained model: settings by name, and words by number. As a
/// text file: lines "name value", an empty line, then a word in each line.
class Setup {
public:
    Setup() = default;
    /// Reads a file that save() has written; catena::FileError naming it if it is none.
    explicit Setup(const std::string& path);
    void save(const std::string& path) const;

    void set(const std::string& name, const std::string& value) { settings_[name] = value; }
    void set(const std::string& name, int64_t value) { set(name, std::to_string(value)); }
    /// catena::FileError when the file has no such setting, or no number.
    const std::string& text(const std::string& name) const;
    int64_t number(const std::string& name) const;

    /// Words by their numbers 0, 1, ..., which are all different.
    void set_words(const std::map<std::string, int32_t>& numbers);
    const std::vector<std::string>& words() const { return words_; }
    std::map<std::string, int32_t> numbers() const;

private:
    std::string path_;
    std::map<std::string, std::string> settings_;
    std::vector<std::string> words_;
};

}  // namespace examples
