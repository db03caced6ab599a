#pragma once

#include "frontend/dataset/iterator/serial_iterator.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/trainer/classifier.h"

namespace catena::testing {

/// A classifier of two classes, its optimizer, and six equal examples in batches of two.
struct SmallTraining {
    Classifier<Linear> model{Linear(2, 2)};
    Adam adam;
    SerialIterator it;
    SmallTraining()
        : it(Dataset({Array::full({Dtype::float32, {6, 2}}, 1), Array::zeros({Dtype::int32, {6}})}),
             2) {
        adam.setup(model);
    }
};

}  // namespace catena::testing
