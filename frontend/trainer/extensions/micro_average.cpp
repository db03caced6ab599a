#include "frontend/trainer/extensions/micro_average.h"

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/trainer.h"

namespace catena::extensions {

MicroAverage::MicroAverage(std::string numerator_key, std::string denominator_key,
                           std::string result_key, AnyTrigger trigger)
    : numerator_key_(std::move(numerator_key)),
      denominator_key_(std::move(denominator_key)),
      result_key_(std::move(result_key)),
      trigger_(std::move(trigger)) {}

void MicroAverage::operator()(Trainer& trainer) {
    const Observation& observation = trainer.observation();
    auto numerator = observation.find(numerator_key_),
         denominator = observation.find(denominator_key_);
    if (numerator != observation.end() && denominator != observation.end()) {
        numerator_ += numerator->second.value();
        denominator_ += denominator->second.value();
    }
    if (!trigger_(trainer)) return;
    double result = denominator_ != 0 ? numerator_ / denominator_ : 0;
    numerator_ = denominator_ = 0;
    report({{result_key_, result}});
}

void MicroAverage::serialize(const Serializer& s) {
    s("_numerator", numerator_);
    s("_denominator", denominator_);
    trigger_.serialize(s["_trigger"]);
}

}  // namespace catena::extensions
