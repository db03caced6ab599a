#pragma once

#include "frontend/trainer/extension.h"

namespace catena::extensions {

/// Reports sum(numerator) / sum(denominator) over an interval: "correct" and "count" give a micro
/// average.
class MicroAverage : public Extension {
public:
    /// An extension for the quotient of the values under the first two keys, which it reports under
    /// the third one.
    MicroAverage(std::string numerator_key, std::string denominator_key, std::string result_key,
                 AnyTrigger trigger = {1, "epoch"});
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "MicroAverage"; }
    int priority() const override { return priority_editor; }

private:
    std::string numerator_key_, denominator_key_, result_key_;
    AnyTrigger trigger_;
    double numerator_ = 0, denominator_ = 0;
};

}  // namespace catena::extensions
