#pragma once

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Throws a ValueError, naming the parameter, when a parameter of an optimizer's target is NaN or
/// infinite.
class FailOnNonNumber : public Extension {
public:
    void operator()(Trainer& trainer) override;
    std::string default_name() const override { return "FailOnNonNumber"; }
};

}  // namespace catena::extensions
