#pragma once

#include <functional>

#include "frontend/trainer/extension.h"

namespace catena {

/// Options of make_extension.
struct MakeExtensionOptions {
    /// The trigger if Trainer::extend gets none.
    AnyTrigger trigger = {1, "iteration"};
    /// The extension's name; if it is empty, Trainer::extend needs one.
    std::string default_name = {};
    /// The priority if Trainer::extend gets none.
    int priority = priority_reader;
    /// Called before the first iteration, also of a resumed training.
    std::function<void(Trainer&)> initializer = {};
    /// Called after the last iteration, also when an error ended the training.
    std::function<void()> finalizer = {};
    /// Called when an error ends the training.
    std::function<void(Trainer&, const std::exception&)> on_error = {};
};

/// A function as an extension, with Chainer's options:
///
///     trainer.extend(ct::make_extension([](ct::Trainer& t) { ... }, {.trigger = {1, "epoch"},
///     .default_name = "hello"}));
class FunctionExtension final : public Extension {
public:
    /// An extension that calls a function; made by make_extension().
    FunctionExtension(std::function<void(Trainer&)> function, MakeExtensionOptions options);
    void operator()(Trainer& trainer) override;
    void initialize(Trainer& trainer) override;
    void finalize() override;
    void on_error(Trainer& trainer, const std::exception& error) override;
    std::string default_name() const override;
    AnyTrigger trigger() const override;
    int priority() const override;

private:
    std::function<void(Trainer&)> function_;
    MakeExtensionOptions options_;
};

/// A function as an extension.
FunctionExtension make_extension(std::function<void(Trainer&)> function,
                                 MakeExtensionOptions options = {});

}  // namespace catena
