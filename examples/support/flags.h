#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace examples {

/// The flags of a program: read from its command line into variables whose values so far are the
/// defaults, and told by --help.
class Flags {
public:
    explicit Flags(std::string description) : description_(std::move(description)) {}

    /// `names` as "-u,--unit". A number below `least` is an error.
    void add(const std::string& names, int64_t& value, const std::string& text,
             int64_t least = INT64_MIN);
    void add(const std::string& names, double& value, const std::string& text);
    void add(const std::string& names, std::string& value, const std::string& text);
    /// A switch: takes no value.
    void add(const std::string& names, bool& value, const std::string& text);
    /// Without a default.
    void add(const std::string& names, std::optional<int64_t>& value, const std::string& text);
    void add(const std::string& names, std::optional<double>& value, const std::string& text);
    /// One of these words.
    void add_choice(const std::string& names, std::string& value,
                    const std::vector<std::string>& words, const std::string& text);
    /// A value without a flag before it, which must be given. Arguments are given in the order in
    /// which they were added.
    void add_argument(const std::string& name, std::string& value, const std::string& text);

    /// Reads the command line. Where the program is to end at once, after --help or an error, which
    /// are printed, this is its exit status.
    std::optional<int> read(int argc, char** argv);

private:
    /// Throws ValueError for a value that does not fit.
    using Reader = std::function<void(const std::string&)>;
    struct Flag {
        std::vector<std::string> names;
        std::string text, shown;  ///< `shown` is the default.
        bool takes_value;
        Reader read;
    };
    void add(const std::string& names, const std::string& text, std::string shown, Reader read,
             bool takes_value = true);
    const Flag& named(const std::string& name) const;
    void read_words(const std::vector<std::string>& words);
    std::string help(const std::string& program) const;

    std::string description_;
    std::vector<Flag> flags_, arguments_;
};

}  // namespace examples
