#include "frontend/trainer/extensions/report/progress_bar.h"

#include <algorithm>
#include <cmath>

#include <unistd.h>

#include "frontend/trainer/extensions/report/progress_lines.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {
namespace {

constexpr size_t most_moments = 100;

}  // namespace

ProgressBar::ProgressBar(ProgressBarOptions options) : options_(std::move(options)) {}

void ProgressBar::initialize(Trainer& trainer) {
    terminal_ = isatty(fileno(options_.out));
    first_iteration_ = trainer.updater().iteration();
    trainer_ = &trainer;
}

/// Iterations and epochs per second, over the recorded interval.
std::pair<double, double> ProgressBar::speed(const Moment& now) {
    recent_.push_back(now);
    if (recent_.size() > most_moments) recent_.erase(recent_.begin());
    const Moment& then = recent_.front();
    double seconds = std::max(now.seconds - then.seconds, 1e-9);
    return {(now.iteration - then.iteration) / seconds, (now.epoch - then.epoch) / seconds};
}

std::string ProgressBar::text(Trainer& trainer) {
    const Updater& updater = trainer.updater();
    double iteration = double(updater.iteration()), epoch = updater.epoch_detail();
    std::optional<TrainingLength> length = options_.training_length
                                               ? options_.training_length
                                               : trainer.stop_trigger().training_length();
    auto [iterations, epochs] = speed({trainer.elapsed_time(), iteration, epoch});
    std::string lines, goal, estimate = "unknown";
    if (length) {
        bool by_epoch = length->unit == "epoch";
        double done = by_epoch ? epoch : iteration;
        lines += progress_line("     total", done / length->length, options_.bar_length);
        goal = fmt::format(" / {:g} {}s", length->length, length->unit);
        estimate = duration_text((length->length - done) / (by_epoch ? epochs : iterations));
    }
    lines += progress_line("this epoch", epoch - std::floor(epoch), options_.bar_length);
    lines += fmt::format("{:10} iter, {} epoch{}\n", updater.iteration(), updater.epoch(), goal);
    return lines +
           fmt::format("{:10.5g} iters/sec. Estimated time to finish: {}.\n", iterations, estimate);
}

void ProgressBar::operator()(Trainer& trainer) {
    if (!terminal_ || trainer.updater().iteration() % options_.update_interval != 0) return;
    std::string lines = text(trainer);
    std::fputs(drawn_below(lines).c_str(), options_.out);
    std::fflush(options_.out);
    drawn_ = true;
}

void ProgressBar::finalize() {
    if (!trainer_) return;
    if (drawn_) std::fputs(erased_below, options_.out);
    if (!terminal_) {
        int64_t done = trainer_->updater().iteration() - first_iteration_;
        double seconds = trainer_->elapsed_time();
        fmt::print(options_.out, "{} iterations, {:g} epochs in {:.1f} s\n", done,
                   trainer_->updater().epoch_detail(), seconds);
    }
    std::fflush(options_.out);
}

}  // namespace catena::extensions
