#pragma once

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// ValueError, naming the parameter, when one of an optimizer's target is NaN or infinite.
class FailOnNonNumber : public Extension {
public:
    void operator()(Trainer& trainer) override;
    std::string default_name() const override { return "FailOnNonNumber"; }
};

}  // namespace catena::extensions
