#include "support/example.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace examples {

Example::Example(const std::string& description) : flags_(description) {
    flag("--device", device_, "where to compute: cpu, cuda:0");
    flags_.add("--seed", seed, "of all random numbers");
    flag("--eager", eager, "do not compile");
    flag("--times", times_, "iterations that are timed at the end; 0: none");
    flag("--require", required_, "end with an error unless the result is at least as good");
}

int Example::parse_and_run(int argc, char** argv, const std::function<void()>& body) {
    if (const std::optional<int> status = flags_.read(argc, argv)) return *status;
    const std::string name = std::filesystem::path(argv[0]).filename().string();
    try {
        body();
    } catch (const std::exception& error) {
        const bool tells_name = std::string_view(error.what()).starts_with(name + ":");
        fmt::print(stderr, "{}{}\n", tells_name ? "" : name + ": ", error.what());
        return 1;
    }
    if (required_ && !told_) {
        fmt::print(stderr, "{}: --require: this run has no result\n", name);
        return 1;
    }
    return fulfilled_ ? 0 : 1;
}

void Example::with_settings(const std::string& device, const std::function<void()>& body) const {
    const auto scope = ct::using_device(device);  // of all that is made from here on
    const auto use = ct::using_config(&ct::Config::use_static_graph, !eager);
    ct::set_seed(seed);
    body();
}

static double milliseconds_of(const std::function<void()>& iteration) {
    const auto start = std::chrono::steady_clock::now();
    iteration();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

static double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

Example::Times Example::measured(const std::function<void()>& iteration, int count,
                                 const std::function<void(bool)>& begin_turn) const {
    Times times;
    constexpr int unmeasured = 2;  // compilation and the first use of what it made; later what the
                                   // other kind left in caches and pools
    constexpr int turn = 5;
    count = int(times_.value_or(count));
    for (int done = 0; done < count; done += turn)
        for (const bool with_regions : {false, true}) {
            if (with_regions && eager) continue;
            const auto use = ct::using_config(&ct::Config::use_static_graph, with_regions);
            if (begin_turn) begin_turn(with_regions);
            for (int i = 0; i < unmeasured; ++i) iteration();
            for (int i = 0; i < std::min(turn, count - done); ++i)
                (with_regions ? times.compiled : times.eager).push_back(milliseconds_of(iteration));
        }
    return times;
}

Example::Times Example::measured(ct::Updater& updater, int count) const {
    ct::MemoryArchive place;
    const auto iterator = [&](const ct::Serializer& s) { updater.get_iterator().serialize(s); };
    return measured([&] { updater.update(); }, count,
                    [&](bool with_regions) {
                        if (with_regions) return ct::load_from(place, iterator, {});
                        place = {};
                        ct::save_to(place, iterator);
                    });
}

void Example::print(const Times& times) {
    if (times.eager.empty()) return;
    const auto least = [](const std::vector<double>& values) {
        return *std::min_element(values.begin(), values.end());
    };
    fmt::print("iteration: eager {:.3f} ms", median(times.eager));
    if (times.compiled.empty())
        fmt::print("\nleast: eager {:.3f} ms\n", least(times.eager));
    else
        fmt::print(
            ", compiled {:.3f} ms, {:.2f}x\nleast: eager {:.3f} ms, compiled {:.3f} ms, {:.2f}x\n",
            median(times.compiled), median(times.eager) / median(times.compiled),
            least(times.eager), least(times.compiled), least(times.eager) / least(times.compiled));
}

void require_together(const std::vector<std::pair<std::string, std::string>>& flags) {
    std::string names;
    size_t given = 0;
    for (const auto& [name, value] : flags) {
        names += (names.empty() ? "" : ", ") + name;
        given += !value.empty();
    }
    if (given > 0 && given < flags.size())
        ct::fail<ct::ValueError>("{} belong together: give all of them or none", names);
}

double observed(ct::Trainer& trainer, const std::string& name) {
    const auto found = trainer.observation().find(name);
    if (found != trainer.observation().end()) return found->second.value();
    ct::fail<ct::ValueError>(
        "no {} to tell: no epoch of this run was completed (it ended at iteration {}, in epoch {})",
        name, trainer.updater().iteration(), trainer.updater().epoch());
}

void Example::result(const std::string& name, double value, Better better) {
    fmt::print("result: {} {:.6g}\n", name, value);
    told_ = true;
    if (!required_) return;
    fulfilled_ = better == Better::larger ? value >= *required_ : value <= *required_;
    if (!fulfilled_)
        fmt::print(stderr, "--require: {} should be {} {:.6g}\n", name,
                   better == Better::larger ? "at least" : "at most", *required_);
}

}  // namespace examples
