#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Options of a ProgressBar.
struct ProgressBarOptions {
    /// The length of the training; by default that of the stop trigger.
    std::optional<TrainingLength> training_length = {};
    int64_t update_interval = 100;  ///< Number of iterations between updates of the display.
    /// The number of characters of a bar.
    int bar_length = 50;
    /// The stream that is written to.
    std::FILE* out = stdout;
};

/// Shows progress, speed and remaining time of the training. If `out` is not a terminal, prints one
/// line at the end.
class ProgressBar : public Extension {
public:
    /// An extension with these options.
    explicit ProgressBar(ProgressBarOptions options = {});
    void initialize(Trainer& trainer) override;
    void operator()(Trainer& trainer) override;
    void finalize() override;
    std::string default_name() const override { return "ProgressBar"; }
    /// The four lines that a terminal shows.
    std::string text(Trainer& trainer);

private:
    struct Moment {
        double seconds, iteration, epoch;
    };
    std::pair<double, double> speed(const Moment& now);
    ProgressBarOptions options_;
    std::vector<Moment> recent_;
    bool terminal_ = false, drawn_ = false;
    int64_t first_iteration_ = 0;
    Trainer* trainer_ = nullptr;
};

}  // namespace catena::extensions
