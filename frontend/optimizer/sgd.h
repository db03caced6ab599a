#pragma once

#include "frontend/optimizer/optimizer.h"

namespace catena {

/// p -= lr g
class SGD : public Optimizer {
public:
    explicit SGD(double lr = 0.01) : lr(lr, "lr") {}
    std::string type_name() const override { return "SGD"; }
    std::vector<Cell> hyperparameters() const override { return {lr}; }
    Cell lr;

protected:
    void update_slots(std::span<UpdateSlot* const> slots) override;
};

/// v = momentum v - lr g;  p += v
class MomentumSGD : public Optimizer {
public:
    explicit MomentumSGD(double lr = 0.01, double momentum = 0.9) : lr(lr, "lr"), momentum(momentum, "momentum") {}
    std::string type_name() const override { return "MomentumSGD"; }
    std::vector<std::string> moment_names() const override { return {"v"}; }
    std::vector<Cell> hyperparameters() const override { return {lr, momentum}; }
    Cell lr, momentum;

protected:
    void update_slots(std::span<UpdateSlot* const> slots) override;
};

}  // namespace catena
