#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/trainer/extension.h"
#include "frontend/trainer/reporter.h"
#include "runtime/core/memory/owned.h"

namespace catena {

class Updater;

/// Options of Trainer::extend; defaults come from the extension.
struct ExtendOptions {
    /// The extension's name; "": its default name.
    std::string name = {};
    /// The trigger; AnyTrigger::never() for an extension that is called before training only.
    AnyTrigger trigger = {};
    /// The priority; none: the extension's own.
    std::optional<int> priority = {};
    /// Whether the extension is also called before the first iteration.
    bool call_before_training = false;
};

/// A training loop: updates until the stop trigger fires, and calls extensions in between.
///
///     ct::Trainer trainer(updater, {20, "epoch"}, "result");
///     trainer.extend(ct::extensions::LogReport());
///     trainer.extend(ct::extensions::snapshot());
///     trainer.run();
///
/// Keeps a reference to the updater, which must outlive it.
class Trainer {
public:
    /// Stops when `stop_trigger` fires; files are written to the folder `out`.
    explicit Trainer(Updater& updater, AnyTrigger stop_trigger = {}, std::string out = "result");
    Trainer(const Trainer&) = delete;
    ~Trainer();

    /// Adds an extension, which is called in every iteration in which its trigger fires: by
    /// priority, then in the order of extend(). A name that is taken gets "_1", "_2"; "training" is
    /// a ValueError.
    Trainer& extend(std::shared_ptr<Extension> extension, ExtendOptions options = {});
    template <class E>
        requires std::derived_from<E, Extension>
    Trainer& extend(E&& extension, ExtendOptions options = {}) {
        return extend(std::make_shared<std::remove_const_t<E>>(std::move(extension)),
                      std::move(options));
    }
    template <std::derived_from<Extension> E>
    Trainer& extend(E& kept, ExtendOptions options = {}) =
        delete;  // A copy would be called: give a std::shared_ptr, or std::move(kept).
    /// Adds a function; options.name is required.
    template <class F>
        requires(std::invocable<F&, Trainer&> && !std::derived_from<F, Extension>)
    Trainer& extend(F function, ExtendOptions options) {
        return extend(from_function(std::move(function)), std::move(options));
    }

    /// Trains; can be called once. An error in the loop is printed, passed to the extensions
    /// (on_error), and rethrown after extensions and updater have been finalized. FileError when
    /// `out` cannot be created.
    void run(bool show_loop_exception_msg = true);

    /// Ends the training after this iteration; Extension::stopped is then called. Extensions may
    /// call it.
    void stop() { stopping_ = true; }
    /// Whether stop() was called.
    bool stopping() const { return stopping_; }

    /// Calls `f` when all extensions of this iteration have run or one has failed; at once outside
    /// of an iteration. A snapshot uses it to contain all changes of its iteration.
    void after_extensions(std::function<void()> f);

    /// The updater.
    Updater& updater() const { return updater_; }
    /// The trigger that ends the training.
    AnyTrigger& stop_trigger() { return stop_trigger_; }
    /// The values reported in this iteration.
    Observation& observation() { return observation_; }
    /// What collects the values that links report.
    Reporter& reporter() { return reporter_; }
    /// The folder that extensions write files to.
    const std::string& out() const { return out_; }
    /// Seconds of training, including those before the snapshot that was loaded; ValueError before
    /// run().
    double elapsed_time() const;
    /// Whether no iteration was done yet.
    bool is_before_training() const;
    /// The extension of that name; ValueError that lists the existing names.
    Extension& get_extension(const std::string& name) const;
    template <class E>
    E& get_extension(const std::string& name) const {
        return dynamic_cast<E&>(get_extension(name));  // std::bad_cast for another type
    }

    /// All state, under Chainer's keys; "random_state", the state of the library's random numbers;
    /// and "unfinished": what was reported in an iteration and which extensions were not yet asked
    /// in it when one of them saved the trainer, for run() to finish it first. Settings (stop
    /// trigger, batch size) are not part of it: rebuild the trainer, then load.
    void serialize(const Serializer& s);

private:
    struct Entry;
    static std::shared_ptr<Extension> from_function(std::function<void(Trainer&)> function);
    std::vector<Entry*> by_priority();
    void ask_extensions(const std::vector<Entry*>& extensions);
    void end_asking();
    bool is_at_end();
    void serialize_unfinished(const Serializer& s);
    void loop(const std::vector<Entry*>& extensions);
    void finalize(const std::vector<Entry*>& extensions, std::exception_ptr& failure);
    void tell_error(const std::vector<Entry*>& extensions, const std::exception& error, bool show);

    Updater& updater_;
    AnyTrigger stop_trigger_;
    std::string out_;
    Reporter reporter_;
    Observation observation_;
    std::vector<Owned<Entry>> extensions_;
    /// Extensions of this iteration whose triggers are still to be asked.
    std::vector<std::string> unasked_;
    std::vector<std::function<void()>> after_extensions_;
    bool is_asking_ = false;
    /// Whether the stop trigger is still to be asked in this iteration.
    bool is_unfinished_ = false;
    /// The time when run() was called, by a steady clock in seconds.
    std::optional<double> start_;
    std::optional<double> final_time_;
    bool stopping_ = false;
    double time_before_ = 0;  ///< Seconds of the training before the snapshot.
};

}  // namespace catena
