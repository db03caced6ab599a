#pragma once

#include <memory>
#include <string>

#include "frontend/catena.h"
#include "frontend/serializer/memory_archive.h"
#include "tests/distributed/training.h"

namespace catena {

/// Parameters with more and fewer elements than ranks, one of one element, one of no axis.
struct OddNet : Chain {
    Linear l1{5, 7}, l2{7, 3};
    Parameter scale{Array::full({Dtype::float32, {}}, 1.5), "scale"};
    Parameter shift{Array::full({Dtype::float32, {1}}, 0.25), "shift"};
    OddNet() {
        add_children({{"l1", l1}, {"l2", l2}});
        add_param("scale", scale);
        add_param("shift", shift);
    }
    Variable operator()(const Variable& x) { return l2(tanh(l1(x))) * scale + shift; }
};

/// Rows for an OddNet.
inline Variable odd_rows(int seed) { return wave_rows(seed, 5); }

/// What an optimizer saves.
inline std::string state_of(Optimizer& optimizer) {
    MemoryArchive archive;
    save_to(archive, [&](const Serializer& s) { optimizer.serialize(s); });
    return std::string(archive.bytes());
}

}  // namespace catena
