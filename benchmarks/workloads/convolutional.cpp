// The benchmark's convolutional networks. Sizes of pictures are not cut below what the network's
// strides need.
#include "benchmarks/models/resnet20.h"
#include "benchmarks/models/resnet50.h"
#include "benchmarks/models/unet.h"
#include "benchmarks/models/vgg16.h"
#include "benchmarks/workloads/inference.h"
#include "benchmarks/workloads/training.h"
#include "benchmarks/workloads/prepare.h"
#include "tools/catena/random_inputs.h"

namespace catena::tool {
namespace {

int64_t resnet50_picture(int64_t divisor) { return std::max<int64_t>(224 / divisor, 64); }

std::shared_ptr<models::ResNet50> resnet50(int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    return std::make_shared<models::ResNet50>(
        models::ResNet50Sizes{cut(64), {cut(3), cut(4), cut(6), cut(3)}, cut(1000)});
}

Iteration train_resnet50(const char* name, Variant variant, int64_t images, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const int64_t batch = cut(images), size = resnet50_picture(divisor);
    const Variable x(random.uniform({batch, 3, size, size}), false),
        t(random.labels(int32_t(cut(1000)), {batch}), false);
    return train(name, variant, resnet50(divisor), std::make_shared<MomentumSGD>(0.1, 0.9),
                 {{x, t}}, scores_loss);
}

}  // namespace

Iteration prepare_resnet20(Variant variant, int64_t divisor) {
    const auto cut = [divisor](int64_t size) { return divided(size, divisor); };
    RandomInputs random;
    const int64_t batch = cut(64), size = std::max<int64_t>(32 / divisor, 16);
    auto model = std::make_shared<models::ResNet20>(cut(16), cut(3));
    const Variable x(random.uniform({batch, 3, size, size}), false),
        t(random.labels(10, {batch}), false);
    auto optimizer = std::make_shared<MomentumSGD>(0.1, 0.9);
    return train("resnet20", variant, model, optimizer, {{x, t}}, scores_loss,
                 {std::make_shared<WeightDecay>(1e-4)});
}

Iteration prepare_resnet50(Variant variant, int64_t divisor) {
    return train_resnet50("resnet50", variant, 4, divisor);
}
Iteration prepare_resnet50_64(Variant variant, int64_t divisor) {
    return train_resnet50("resnet50_64", variant, 64, divisor);
}
Iteration prepare_resnet50_256(Variant variant, int64_t divisor) {
    return train_resnet50("resnet50_256", variant, 256, divisor);
}

Iteration prepare_resnet50_infer(Variant variant, int64_t divisor) {
    RandomInputs random;
    const int64_t size = resnet50_picture(divisor);
    const Variable x(random.uniform({1, 3, size, size}), false);
    const auto call = [model = resnet50(divisor)](const std::vector<Variable>& xs) {
        return std::vector<Variable>{(*model)(xs[0])};
    };
    return infer("resnet50_infer", variant, call, {x});
}

Iteration prepare_vgg16_cifar(Variant variant, int64_t divisor) {
    RandomInputs random;
    const int64_t batch = std::max<int64_t>(64 / divisor, 4);
    auto model = std::make_shared<models::Vgg16>(divided(64, divisor));
    const Variable x(random.uniform({batch, 3, 32, 32}), false),
        t(random.labels(10, {batch}), false);
    auto optimizer = std::make_shared<MomentumSGD>(0.05, 0.9);
    return train("vgg16_cifar", variant, model, optimizer, {{x, t}}, scores_loss,
                 {std::make_shared<WeightDecay>(5e-4)});
}

Iteration prepare_unet(Variant variant, int64_t divisor) {
    RandomInputs random;
    const int64_t size = std::max<int64_t>(256 / divisor, 16);
    auto model = std::make_shared<models::UNet>(divided(16, divisor));
    const Variable x(random.uniform({2, 1, size, size}), false),
        t(random.labels(2, {2, 1, size, size}), false);
    return train("unet", variant, model, std::make_shared<Adam>(0.001), {{x, t}},
                 [](const Variable& y, const Variable& t) { return sigmoid_cross_entropy(y, t); });
}

}  // namespace catena::tool
