#include "frontend/init/initializer.h"

#include "runtime/core/device.h"
#include "runtime/core/error.h"

namespace catena {

Initializer::Initializer() : Initializer(initializers::LeCunNormal()) {}
Initializer::Initializer(double value) : Initializer(initializers::Constant(value)) {}
Initializer::Initializer(Array values) : Initializer(initializers::Constant(std::move(values))) {}
Initializer::Initializer(std::string description, Fill fill, std::optional<Dtype> dtype)
    : description_(std::move(description)),
      fill_(std::make_shared<const Fill>(std::move(fill))),
      dtype_(dtype) {}
Initializer::Initializer(const Initializer&) = default;
Initializer::Initializer(Initializer&&) noexcept = default;
Initializer& Initializer::operator=(const Initializer&) = default;
Initializer& Initializer::operator=(Initializer&&) noexcept = default;
Initializer::~Initializer() = default;

Array Initializer::operator()(const Type& type) const {
    if (dtype_ && *dtype_ != type.dtype)
        fail<DtypeError>("{}: initialises {}, not {}", description_, name_of(*dtype_),
                         name_of(type.dtype));
    Array made = (*fill_)(type);
    if (made.type() != type)
        fail<ShapeError>("{}: gave {} where {} was asked for", description_, to_string(made.type()),
                         to_string(type));
    return made;
}

}  // namespace catena
