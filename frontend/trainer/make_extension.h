#pragma once

#include <functional>

#include "frontend/trainer/extension.h"

namespace catena {

struct MakeExtensionOptions {
    AnyTrigger trigger = {1, "iteration"};
    std::string default_name = {};  ///< Empty: Trainer::extend needs a name.
    int priority = priority_reader;
    std::function<void(Trainer&)> initializer =
        {};  ///< Before the first iteration, also of a resumed training.
    std::function<void()> finalizer =
        {};  ///< After the last one, also when an error ended the training.
    std::function<void(Trainer&, const std::exception&)> on_error = {};
};

/// A function as an extension, with Chainer's options:
///
///     trainer.extend(ct::make_extension([](ct::Trainer& t) { ... }, {.trigger = {1, "epoch"},
///     .default_name = "hello"}));
class FunctionExtension final : public Extension {
public:
    FunctionExtension(std::function<void(Trainer&)> function, MakeExtensionOptions options)
        : function_(std::move(function)), options_(std::move(options)) {}
    void operator()(Trainer& trainer) override { function_(trainer); }
    void initialize(Trainer& trainer) override {
        if (options_.initializer) options_.initializer(trainer);
    }
    void finalize() override {
        if (options_.finalizer) options_.finalizer();
    }
    void on_error(Trainer& trainer, const std::exception& error) override {
        if (options_.on_error) options_.on_error(trainer, error);
    }
    std::string default_name() const override { return options_.default_name; }
    AnyTrigger trigger() const override { return options_.trigger; }
    int priority() const override { return options_.priority; }

private:
    std::function<void(Trainer&)> function_;
    MakeExtensionOptions options_;
};

inline FunctionExtension make_extension(std::function<void(Trainer&)> function,
                                        MakeExtensionOptions options = {}) {
    return FunctionExtension(std::move(function), std::move(options));
}

}  // namespace catena
