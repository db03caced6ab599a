#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// g += rate p
class WeightDecay : public OptimizerHook {
public:
    explicit WeightDecay(double rate) : rate(rate, "rate") {}
    std::string name() const override { return "WeightDecay"; }
    void operator()(Optimizer& optimizer) override;
    Cell rate;
};

/// Scales all gradients by threshold / norm when the L2 norm over all of them is larger than the threshold. A norm of NaN
/// changes nothing.
class GradientClipping : public OptimizerHook {
public:
    explicit GradientClipping(double threshold) : threshold(threshold, "threshold") {}
    std::string name() const override { return "GradientClipping"; }
    void operator()(Optimizer& optimizer) override;
    Cell threshold;
};

}  // namespace catena
