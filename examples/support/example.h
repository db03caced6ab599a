#pragma once

#include <catena/catena.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace examples {

namespace ct = catena;

/// Which results are good.
enum class Better { larger, smaller };

/// The program around an example: its flags, what every example has in common, and how its result is told.
///
///     int64_t units = 100;
///     examples::Example example("Trains ...");
///     example.flag("-u,--unit", units, "hidden units");
///     return example.run(argc, argv, [&] { train(example, units); });
///
/// Every example has --device, --seed, --eager and --require: the result that it must reach to end without an error.
class Example {
public:
    explicit Example(const std::string& description);
    ~Example();
    Example(const Example&) = delete;

    // Names as "-u,--unit"; the value is the default, shown by --help. A bool is a switch.
    void flag(const std::string& names, int64_t& value, const std::string& text);
    void flag(const std::string& names, double& value, const std::string& text);
    void flag(const std::string& names, std::string& value, const std::string& text);
    void flag(const std::string& names, bool& value, const std::string& text);
    /// One of these words.
    void choice(const std::string& names, std::string& value, const std::vector<std::string>& words, const std::string& text);
    /// Without a dash: positional, required.
    void argument(const std::string& name, std::string& value, const std::string& text);

    /// Reads the flags and runs `body` on the device, with the seed. Returns the program's exit status.
    int run(int argc, char** argv, const std::function<void()>& body);

    bool eager = false;
    bool compiled() const { return !eager; }
    uint64_t seed = 0;

    /// Prints the time of a training iteration with static regions off and on: the median of `count` calls each, in turns.
    /// With --eager, off only.
    void print_times(const std::function<void()>& iteration, int count = 10) const;
    /// Prints what the example came to, and holds it against --require.
    void result(const std::string& name, double value, Better better);

private:
    struct Flags;
    std::unique_ptr<Flags> flags_;
    std::string device_ = "cpu";
    std::optional<double> required_;
    bool fulfilled_ = true, told_ = false;
};

}  // namespace examples
