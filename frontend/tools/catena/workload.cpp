#include "frontend/tools/catena/workload.h"

#include <algorithm>

#include "frontend/tools/catena/workloads.h"
#include "runtime/core/error.h"

namespace catena::tool {

const char* name_of(Variant variant) {
    switch (variant) {
        case Variant::eager: return "eager";
        case Variant::compiled: return "compiled";
        case Variant::trusted: return "trusted";
        default: return "step";
    }
}

Variant parse_variant(const std::string& name) {
    for (Variant variant : {Variant::eager, Variant::compiled, Variant::step, Variant::trusted})
        if (name == name_of(variant)) return variant;
    fail<ValueError>("bench: no variant {}; there are eager, compiled, step and trusted", name);
}

int64_t divided(int64_t size, int64_t divisor) { return std::max(size / divisor, std::min<int64_t>(size, 2)); }

const std::vector<Workload>& workloads() {
    static const std::vector<Workload> all = {
        {"mushroom", "22-44-44-1 perceptron, batch 100, SGD", prepare_mushroom},
        {"mlp", "784-1000-1000-10 perceptron, batch 100, Adam", prepare_mlp},
        {"lenet", "LeNet-5 on 28x28, batch 64, SGD", prepare_lenet},
        {"ptb_lstm_unrolled", "two LSTM layers of 650, 35 steps in a loop, batch 20, SGD, clipping",
         prepare_ptb_lstm_unrolled},
        {"gelu_chain", "pointwise chain on 4 Mi elements with its gradients", prepare_gelu_chain},
        {"layer_norm", "layer normalization of 4096x1024 with its gradients", prepare_layer_norm},
        {"softmax_xent", "softmax cross entropy of 2048x10000 with its gradient", prepare_softmax_xent},
        {"small_ops", "200 operations on 16 elements with their gradients", prepare_small_ops},
        {"one_op", "one operation on one element, gradient recorded", prepare_one_op},
    };
    return all;
}

const Workload& find_workload(const std::string& name) {
    std::string names;
    for (const Workload& workload : workloads()) {
        if (workload.name == name) return workload;
        names += " " + workload.name;
    }
    fail<ValueError>("bench: no workload {}; there are{}", name, names);
}

}  // namespace catena::tool
