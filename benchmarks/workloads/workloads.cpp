#include "benchmarks/workloads/workloads.h"

#include <filesystem>

#include "benchmarks/workloads/prepare.h"
#include "runtime/core/system/error.h"

namespace catena::tool {

const std::vector<Workload>& workloads() {
    static const std::vector<Workload> all = {
        {"mushroom", "22-44-44-1 perceptron, batch 100, SGD", prepare_mushroom},
        {"mlp", "784-1000-1000-10 perceptron, batch 100, Adam", prepare_mlp},
        {"lenet", "LeNet-5 on 28x28, batch 64, SGD", prepare_lenet},
        {"resnet20", "ResNet-20 on 32x32, batch 64, momentum SGD", prepare_resnet20, {}, true},
        {"resnet50", "ResNet-50 on 224x224, batch 4, momentum SGD", prepare_resnet50, {}, true},
        {"resnet50_infer", "ResNet-50 in test mode, batch 1", prepare_resnet50_infer},
        {"ptb_lstm_unrolled",
         "two LSTM layers of 650, 35 steps in a loop, batch 20, SGD, clipping",
         prepare_ptb_lstm_unrolled,
         {"ptb_lstm"}},
        {"transformer",
         "4 pre-norm blocks of 256, 8x128 tokens, AdamW",
         prepare_transformer,
         {},
         true},
        {"dcgan",
         "DCGAN on 32x32, batch 64, both networks updated by Adam",
         prepare_dcgan,
         {},
         true},
        {"vgg16_cifar",
         "VGG-16 with dropout on 32x32, batch 64, momentum SGD",
         prepare_vgg16_cifar,
         {},
         true},
        {"unet", "U-Net of 4 levels on 256x256, batch 2, Adam", prepare_unet, {}, true},
        {"gpt2_small",
         "12 blocks of 768 with tied output, 256 tokens, AdamW",
         prepare_gpt2_small,
         {},
         true},
        {"gpt_decode", "gpt2_small, one token per call, after 0 to 255 others", prepare_gpt_decode},
        {"char_rnn",
         "LSTM of 256 in a loop of 20 to 60 steps, batch 32, Adam, clipping",
         prepare_char_rnn,
         {},
         true},
        {"gelu_chain", "pointwise chain on 4 Mi elements with its gradients", prepare_gelu_chain},
        {"layer_norm", "layer normalization of 4096x1024 with its gradients", prepare_layer_norm},
        {"softmax_xent", "softmax cross entropy of 2048x10000 with its gradient",
         prepare_softmax_xent},
        {"small_ops", "200 operations on 16 elements with their gradients", prepare_small_ops},
        {"one_op", "one operation on one element, gradient recorded", prepare_one_op},
    };
    return all;
}

const std::vector<Workload>& large_workloads() {
    static const std::vector<Workload> all = {
        {"resnet50_64", "ResNet-50 with batch 64", prepare_resnet50_64, {}, true},
        {"resnet50_256", "ResNet-50 with batch 256", prepare_resnet50_256, {}, true},
        {"gpt2_block", "one block of 768 on 8x1024 tokens, Adam", prepare_gpt2_block, {}, true},
        {"gpt2_16x1024", "gpt2_small on 16x1024 tokens", prepare_gpt2_16x1024, {}, true},
    };
    return all;
}

Workload find_workload(const std::string& name) {
    if (name.ends_with(".onnx")) {
        if (!std::filesystem::exists(name))
            fail<FileError>("bench: {}: there is no such file", name);
        return {std::filesystem::path(name).stem().string() + "_onnx", "",
                [name](Variant variant, int64_t) { return prepare_onnx(name, variant); }};
    }
    std::string names;
    for (const auto* list : {&workloads(), &large_workloads()})
        for (const Workload& workload : *list) {
            if (workload.name == name) return workload;
            names += " " + workload.name;
        }
    fail<ValueError>("bench: no workload {}; there are{}, and files of models (.onnx)", name,
                     names);
}

}  // namespace catena::tool
