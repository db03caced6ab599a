#pragma once

#include "benchmarks/workloads/workload.h"

namespace catena::tool {

// Training iterations of networks.
Iteration prepare_mushroom(Variant variant, int64_t divisor);
Iteration prepare_mlp(Variant variant, int64_t divisor);
Iteration prepare_lenet(Variant variant, int64_t divisor);
Iteration prepare_resnet20(Variant variant, int64_t divisor);
Iteration prepare_resnet50(Variant variant, int64_t divisor);
Iteration prepare_vgg16_cifar(Variant variant, int64_t divisor);
Iteration prepare_unet(Variant variant, int64_t divisor);
Iteration prepare_dcgan(Variant variant, int64_t divisor);
Iteration prepare_ptb_lstm_unrolled(Variant variant, int64_t divisor);
Iteration prepare_char_rnn(Variant variant, int64_t divisor);
Iteration prepare_transformer(Variant variant, int64_t divisor);
Iteration prepare_gpt2_small(Variant variant, int64_t divisor);

// The same and more at sizes that fill a GPU.
Iteration prepare_resnet50_64(Variant variant, int64_t divisor);
Iteration prepare_resnet50_256(Variant variant, int64_t divisor);
Iteration prepare_gpt2_block(Variant variant, int64_t divisor);
Iteration prepare_gpt2_16x1024(Variant variant, int64_t divisor);

// Calls of networks in test mode.
Iteration prepare_resnet50_infer(Variant variant, int64_t divisor);
Iteration prepare_gpt_decode(Variant variant, int64_t divisor);
/// The model of a file, on floats in [0, 1) and other numbers of 0; open sizes are 1. ValueError in
/// a build without ONNX.
Iteration prepare_onnx(const std::string& path, Variant variant);

// Functions with their gradients.
Iteration prepare_gelu_chain(Variant variant, int64_t divisor);
Iteration prepare_layer_norm(Variant variant, int64_t divisor);
Iteration prepare_softmax_xent(Variant variant, int64_t divisor);
Iteration prepare_small_ops(Variant variant, int64_t divisor);
Iteration prepare_one_op(Variant variant, int64_t divisor);

}  // namespace catena::tool
