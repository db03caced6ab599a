#pragma once

#include <catena/catena.h>

namespace examples {

/// Of a mini-batch.
struct Scores {
    catena::Variable loss, accuracy;
};

/// Means over mini-batches, each weighted by its number of examples.
class Means {
public:
    void add(const Scores& scores, int64_t examples) {
        loss_ += scores.loss.item<double>() * double(examples);
        accuracy_ += scores.accuracy.item<double>() * double(examples);
        count_ += double(examples);
    }
    double loss() const { return loss_ / count_; }
    double accuracy() const { return accuracy_ / count_; }

private:
    double loss_ = 0, accuracy_ = 0, count_ = 0;
};

}  // namespace examples
