#pragma once

#include "frontend/catena.h"

namespace catena::models {

/// LeNet-5 with ReLU and maximum pooling: x [batch, 1, 28, 28] to the scores [batch, 10].
struct LeNet : Chain {
    Convolution2D c1{1, 6, 5, {.pad = {2, 2}}}, c2{6, 16, 5};
    Linear l1{400, 120}, l2{120, 84}, l3{84, 10};
    LeNet() { add_children({{"c1", c1}, {"c2", c2}, {"l1", l1}, {"l2", l2}, {"l3", l3}}); }
    Variable operator()(const Variable& x) {
        Variable h = max_pooling_2d(relu(c1(x)), {2});
        h = max_pooling_2d(relu(c2(h)), {2});
        return l3(relu(l2(relu(l1(h)))));
    }
};

}  // namespace catena::models
