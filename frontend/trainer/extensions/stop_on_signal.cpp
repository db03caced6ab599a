#include "frontend/trainer/extensions/stop_on_signal.h"

#include <array>
#include <atomic>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/system/log.h"

namespace catena::extensions {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM};
// A handler may use these, since they need no lock. Ranks may be threads, which read them, too.
std::atomic<int> received = 0;
std::atomic<bool> answers = true;  ///< Whether the handler says at once that the signal came.
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
/// Whether a handler is installed, by one trainer at a time: ranks may be threads.
std::atomic<bool> installed = false;
std::array<struct sigaction, signals.size()> previous;

void receive(int signal) {
    received = signal;
    if (!answers) return;
    constexpr char note[] =
        "\ncatena: the training ends after this iteration; a second signal ends it now\n";
    static_cast<void>(!::write(STDERR_FILENO, note, sizeof note - 1));
}

}  // namespace

void StopOnSignal::initialize(Trainer&) {
    if (installed.exchange(true)) return;
    installed_ = true;
    received = 0;
    // A handler may not call say(), by which the end of the training is said.
    answers = is_said(LogLevel::info) && !has_log_callback();
    struct sigaction action = {};
    action.sa_handler = receive;
    action.sa_flags = SA_RESETHAND | SA_RESTART;  // The second signal gets the default handler.
    for (size_t i = 0; i < signals.size(); ++i) {
        sigaction(signals[i], nullptr, &previous[i]);
        // A signal ignored by the parent (nohup, background jobs) stays ignored.
        if (previous[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, nullptr);
    }
}

void StopOnSignal::operator()(Trainer& trainer) {
    const int signal = agree(received);
    if (!signal) return;
    if (tells())
        say(LogLevel::info, fmt::format("signal {} ended the training after iteration {}", signal,
                                        trainer.updater().iteration()));
    trainer.stop();
}

void StopOnSignal::finalize() {
    if (!installed_) return;
    for (size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous[i], nullptr);
    received = 0;
    installed_ = false;
    installed = false;
}

}  // namespace catena::extensions
