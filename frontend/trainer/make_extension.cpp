#include "frontend/trainer/make_extension.h"

#include <utility>

namespace catena {

FunctionExtension::FunctionExtension(std::function<void(Trainer&)> function,
                                     MakeExtensionOptions options)
    : function_(std::move(function)), options_(std::move(options)) {}
void FunctionExtension::operator()(Trainer& trainer) { function_(trainer); }
void FunctionExtension::initialize(Trainer& trainer) {
    if (options_.initializer) options_.initializer(trainer);
}
void FunctionExtension::finalize() {
    if (options_.finalizer) options_.finalizer();
}
void FunctionExtension::on_error(Trainer& trainer, const std::exception& error) {
    if (options_.on_error) options_.on_error(trainer, error);
}
std::string FunctionExtension::default_name() const { return options_.default_name; }
AnyTrigger FunctionExtension::trigger() const { return options_.trigger; }
int FunctionExtension::priority() const { return options_.priority; }

FunctionExtension make_extension(std::function<void(Trainer&)> function,
                                 MakeExtensionOptions options) {
    return FunctionExtension(std::move(function), std::move(options));
}

}  // namespace catena
