#pragma once

#include <catena/catena.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/flags.h"

namespace examples {

namespace ct = catena;

/// Which results are good.
enum class Better { larger, smaller };

/// The program around an example: its flags, what every example has in common, and how its result
/// is told.
///
///     int64_t units = 100;
///     examples::Example example("Trains ...");
///     example.flag("-u,--unit", units, "hidden units");
///     return example.run(argc, argv, [&] { train(example, units); });
///
/// Every example has --device, --seed, --eager, --times and --require: the result that it must
/// reach to end without an error.
class Example {
public:
    explicit Example(const std::string& description);
    Example(const Example&) = delete;

    /// As Flags::add(); a number below 1, or below `least`, is an error.
    void flag(const std::string& names, int64_t& value, const std::string& text,
              int64_t least = 1) {
        flags_.add(names, value, text, least);
    }
    template <class Value>
    void flag(const std::string& names, Value& value, const std::string& text) {
        flags_.add(names, value, text);
    }
    void choice(const std::string& names, std::string& value, const std::vector<std::string>& words,
                const std::string& text) {
        flags_.add_choice(names, value, words, text);
    }
    void argument(const std::string& name, std::string& value, const std::string& text) {
        flags_.add_argument(name, value, text);
    }

    /// Reads the flags and runs `body` on the device, with the seed. Returns the program's exit
    /// status.
    int run(int argc, char** argv, const std::function<void()>& body) {
        return parse_and_run(argc, argv, [&] { with_settings(device_, body); });
    }

    bool eager = false;
    bool compiled() const { return !eager; }
    int64_t seed = 0;

    /// Prints the time of a training iteration with static regions off and on: median and least of
    /// `count` calls each (or what --times says), in turns of five, each after two that are not
    /// measured, as a training does not change between the two. With --eager, off only.
    void print_times(const std::function<void()>& iteration, int count = 10) const {
        print(measured(iteration, count));
    }
    /// Of the updater's iterations; both kinds get the same mini-batches, as these may differ in
    /// size.
    void print_times(ct::Updater& updater, int count = 10) const {
        print(measured(updater, count));
    }
    /// Prints what the example came to, and holds it against --require.
    void result(const std::string& name, double value, Better better);

protected:
    /// In milliseconds; `compiled` is empty with --eager.
    struct Times {
        std::vector<double> eager, compiled;
    };
    Times measured(const std::function<void()>& iteration, int count,
                   const std::function<void(bool with_regions)>& begin_turn = {}) const;
    Times measured(ct::Updater& updater, int count) const;
    static void print(const Times& times);
    /// Reads the flags, calls `body` and tells its error. Returns the program's exit status.
    int parse_and_run(int argc, char** argv, const std::function<void()>& body);
    /// Calls `body` on this thread with the settings that the flags say.
    void with_settings(const std::string& device, const std::function<void()>& body) const;
    const std::string& device() const { return device_; }
    /// --require is not for this process, whose result another one tells.
    void leave_result_to_others() { told_ = true; }

private:
    Flags flags_;
    std::string device_ = "cpu";
    std::optional<double> required_;
    std::optional<int64_t> times_;
    bool fulfilled_ = true, told_ = false;
};

/// ValueError unless all of these flags are given or none; pairs of their names and values.
void require_together(const std::vector<std::pair<std::string, std::string>>& flags);

/// What the trainer observed in its last iteration. ValueError when it was not observed there, as
/// after a signal in the middle of an epoch, or where a snapshot was resumed that is the end of the
/// training.
double observed(ct::Trainer& trainer, const std::string& name);

}  // namespace examples
