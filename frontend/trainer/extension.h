#pragma once

#include <exception>
#include <string>

#include "frontend/trainer/trigger.h"

namespace catena {

// Extensions of higher priority are called first.

/// Writes to the observation.
inline constexpr int priority_writer = 300;
/// Changes the observation.
inline constexpr int priority_editor = 200;
/// Reads the observation.
inline constexpr int priority_reader = 100;

/// Called by a Trainer when its trigger fires: to evaluate, log, save.
class Extension {
public:
    virtual ~Extension() = default;
    virtual void operator()(Trainer& trainer) = 0;
    /// Loads the snapshot of an earlier training, if there is one: before any extension is
    /// initialized, so that all of them begin with the loaded state whatever their order.
    virtual void resume(Trainer&) {}
    virtual void initialize(Trainer&) {
    }  ///< Before the first iteration, also of a resumed training.
    virtual void stopped(Trainer&) {
    }  ///< After the last iteration of a training that Trainer::stop() ended early.
    virtual void finalize() {}  ///< After the last one, also when an error ended the training, if
                                ///< only while others were initialized.
    virtual void on_error(Trainer&, const std::exception&) {}
    virtual void serialize(const Serializer&) {}

    /// Used if Trainer::extend gets no name; the class's, "LogReport".
    virtual std::string default_name() const;
    virtual AnyTrigger trigger() const;  ///< {1, "iteration"}
    virtual int priority() const { return priority_reader; }
    const std::string& name() const {
        return name_;
    }  ///< The name in its trainer; "" before extend().
    void set_name(std::string name) { name_ = std::move(name); }

private:
    std::string name_;
};

}  // namespace catena
