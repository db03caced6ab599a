#include "frontend/init/initializer.h"

#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {

Initializer::Initializer() : Initializer(initializers::LeCunNormal()) {}
Initializer::Initializer(double value) : Initializer(initializers::Constant(value)) {}
Initializer::Initializer(Array values) : Initializer(initializers::Constant(std::move(values))) {}
Initializer::Initializer(std::string description, Fill fill, std::optional<Dtype> dtype) try
    : description_(std::move(description)),
      fill_(std::make_shared<const Fill>(std::move(fill))),
      dtype_(dtype) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Initializer");
}
Initializer::Initializer(const Initializer& other) try
    : description_(other.description_), fill_(other.fill_), dtype_(other.dtype_) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Initializer");
}
Initializer::Initializer(Initializer&&) noexcept = default;
Initializer& Initializer::operator=(const Initializer& other) { return *this = Initializer(other); }
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
