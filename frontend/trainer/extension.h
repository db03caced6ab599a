#pragma once

#include <exception>
#include <string>

#include "frontend/trainer/trigger.h"

namespace catena {

// Extensions of higher priority are called first.

/// Priority of extensions that write to the observation.
inline constexpr int priority_writer = 300;
/// Priority of extensions that change the observation.
inline constexpr int priority_editor = 200;
/// Priority of extensions that read the observation.
inline constexpr int priority_reader = 100;

/// Called by a Trainer when its trigger fires: to evaluate, log, save.
class Extension {
public:
    virtual ~Extension() = default;
    /// Called when the trigger fires.
    virtual void operator()(Trainer& trainer) = 0;
    /// Loads the snapshot of an earlier training, if there is one: before any extension is
    /// initialized, so that all of them begin with the loaded state whatever their order.
    virtual void resume(Trainer&) {}
    /// Called before the first iteration, also of a resumed training.
    virtual void initialize(Trainer&) {}
    /// Called after the last iteration of a training that Trainer::stop() ended early.
    virtual void stopped(Trainer&) {}
    /// Called after the last iteration, also when an error ended the training, even while other
    /// extensions were being initialized.
    virtual void finalize() {}
    /// Called when an error ends the training, before finalize().
    virtual void on_error(Trainer&, const std::exception&) {}
    /// Saves or loads the extension's state with the trainer.
    virtual void serialize(const Serializer&) {}

    /// The name if Trainer::extend gets none: by default the class's, "LogReport".
    virtual std::string default_name() const;
    /// The trigger if Trainer::extend gets none: by default {1, "iteration"}.
    virtual AnyTrigger trigger() const;
    /// Its place among the extensions of an iteration: higher ones are called first.
    virtual int priority() const { return priority_reader; }
    /// The name in its trainer; "" before extend().
    const std::string& name() const { return name_; }
    /// Sets the name in the trainer.
    void set_name(std::string name) { name_ = std::move(name); }

private:
    std::string name_;
};

}  // namespace catena
