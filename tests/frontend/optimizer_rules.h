#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/catena.h"

namespace catena::testing {

/// What an update should do to one element, in double precision: changes p and the moments. `rate`
/// is a factor of the rule's learning rate.
using ElementRule = std::function<void(double& p, double g, double* moments, int t, double rate)>;

struct RuleCase {
    std::string
        name;  ///< Also that of Chainer's numbers in tests/conformance/chainer_optimizers.npz.
    std::function<std::unique_ptr<Optimizer>()> make;
    ElementRule truth;
    const char* rate = "lr";
    std::vector<double> first_moments = {};  ///< Zeros when empty.
    double float32 = 5e-6;                   ///< Tolerance.
};

const std::vector<RuleCase>& rule_cases();

}  // namespace catena::testing
