#pragma once

#include "frontend/link/connection/convolution.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/normalization/batch_normalization.h"
#include "frontend/link/owned_link.h"
#include "frontend/link/vision/vision_network.h"

namespace catena {

namespace resnet {

/// Convolutions of 1 x 1, 3 x 3 and 1 x 1 with normalisations, added to x itself or, where channels
/// or sizes change, to a 1 x 1 convolution of x (conv4).
class Bottleneck : public Link {
public:
    struct Options {
        int64_t in_channels, mid_channels, out_channels;
        int64_t stride = 1;
        bool projects = false;  ///< Whether it has conv4 and bn4.
        bool downsample_fb =
            false;  ///< Whether the 3 x 3 convolution has the stride, instead of the first one.
        Initializer initialW = {};
    };
    explicit Bottleneck(const Options& options);
    Variable operator()(const Operand& x);

    Convolution2D conv1;
    BatchNormalization bn1;
    Convolution2D conv2;
    BatchNormalization bn2;
    Convolution2D conv3;
    BatchNormalization bn3;
    std::optional<Convolution2D> conv4;
    std::optional<BatchNormalization> bn4;
};

/// Bottlenecks one after the other: "a", which projects, then "b1", "b2", ...
class BuildingBlock : public Link {
public:
    BuildingBlock(int n_layers, const Bottleneck::Options& first);
    Variable operator()(const Operand& x);

protected:
    void visit_children(ChildVisitor visit) const override;

private:
    std::vector<OwnedLink> layers_;
};

/// A picture as the network takes it: prepare_image with ResNet's means.
Array prepare(const Array& image, const std::optional<ImageSize>& size = network_size);

}  // namespace resnet

/// The networks of He et al. (2016, arXiv:1512.03385) for pictures of 224 x 224. Layers: conv1,
/// pool1, res2 to res5, pool5, fc6, prob.
class ResNetLayers : public VisionNetwork {
public:
    /// Makes the network with 50, 101 or 152 layers, else a ValueError. `pretrained_model`: an .npz
    /// file, or "" for none.
    ResNetLayers(const std::string& pretrained_model, int n_layers, bool downsample_fb = false);

    Convolution2D conv1;
    BatchNormalization bn1;
    resnet::BuildingBlock res2, res3, res4, res5;
    Linear fc6;

protected:
    std::vector<Stage> stages() override;
    Array prepared(const Array& image, const std::optional<ImageSize>& size) const override;
    std::string features() const override { return "pool5"; }
};

/// ResNet with 50 layers; "auto" loads ResNet-50-model.npz of the cache folder.
class ResNet50Layers : public ResNetLayers {
public:
    explicit ResNet50Layers(const std::string& pretrained_model = "auto",
                            bool downsample_fb = false)
        : ResNetLayers(pretrained_model, 50, downsample_fb) {}
};

/// ResNet with 101 layers; "auto" loads ResNet-101-model.npz of the cache folder.
class ResNet101Layers : public ResNetLayers {
public:
    explicit ResNet101Layers(const std::string& pretrained_model = "auto",
                             bool downsample_fb = false)
        : ResNetLayers(pretrained_model, 101, downsample_fb) {}
};

/// ResNet with 152 layers; "auto" loads ResNet-152-model.npz of the cache folder.
class ResNet152Layers : public ResNetLayers {
public:
    explicit ResNet152Layers(const std::string& pretrained_model = "auto",
                             bool downsample_fb = false)
        : ResNetLayers(pretrained_model, 152, downsample_fb) {}
};

}  // namespace catena
