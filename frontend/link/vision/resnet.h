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
    /// Channels, and where the stride is.
    struct Options {
        /// Channels of the input, between the convolutions, and of the result.
        int64_t in_channels, mid_channels, out_channels;
        /// Step of the windows, by which sizes shrink.
        int64_t stride = 1;
        bool projects = false;  ///< Whether the bottleneck has conv4 and bn4.
        /// Whether the 3 x 3 convolution has the stride, instead of the first one.
        bool downsample_fb = false;
        /// Initializer of the convolutions' weights.
        Initializer initialW = {};
    };
    /// A block with these numbers of channels.
    explicit Bottleneck(const Options& options);
    /// x [N, in_channels, H, W] gives [N, out_channels, H / stride, W / stride].
    Variable operator()(const Operand& x);

    /// The 1 x 1 convolution to mid_channels.
    Convolution2D conv1;
    /// The normalisation of conv1.
    BatchNormalization bn1;
    /// The 3 x 3 convolution.
    Convolution2D conv2;
    /// The normalisation of conv2.
    BatchNormalization bn2;
    /// The 1 x 1 convolution to out_channels.
    Convolution2D conv3;
    /// The normalisation of conv3.
    BatchNormalization bn3;
    /// The 1 x 1 convolution of x; none where x itself is added.
    std::optional<Convolution2D> conv4;
    /// The normalisation of conv4.
    std::optional<BatchNormalization> bn4;
};

/// Bottlenecks one after the other: "a", which projects, then "b1", "b2", ...
class BuildingBlock : public Link {
public:
    /// A block of n_layers bottlenecks, of which the first has these options.
    BuildingBlock(int n_layers, const Bottleneck::Options& first);
    /// x [N, in_channels, H, W] gives [N, out_channels, H / stride, W / stride].
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

    /// The first convolution, 7 x 7.
    Convolution2D conv1;
    /// The normalisation of conv1.
    BatchNormalization bn1;
    /// The blocks.
    resnet::BuildingBlock res2, res3, res4, res5;
    /// The last layer.
    Linear fc6;

protected:
    std::vector<Stage> stages() override;
    Array prepared(const Array& image, const std::optional<ImageSize>& size) const override;
    std::string features() const override { return "pool5"; }
};

/// ResNet with 50 layers; "auto" loads ResNet-50-model.npz of the cache folder.
class ResNet50Layers : public ResNetLayers {
public:
    /// Loads a file of arrays ("auto": that of the cache folder, none: no file); downsample_fb puts
    /// the strides at the 3 x 3 convolutions.
    explicit ResNet50Layers(const std::string& pretrained_model = "auto",
                            bool downsample_fb = false)
        : ResNetLayers(pretrained_model, 50, downsample_fb) {}
};

/// ResNet with 101 layers; "auto" loads ResNet-101-model.npz of the cache folder.
class ResNet101Layers : public ResNetLayers {
public:
    /// The network with the weights of `pretrained_model`, as of ResNet50Layers.
    explicit ResNet101Layers(const std::string& pretrained_model = "auto",
                             bool downsample_fb = false)
        : ResNetLayers(pretrained_model, 101, downsample_fb) {}
};

/// ResNet with 152 layers; "auto" loads ResNet-152-model.npz of the cache folder.
class ResNet152Layers : public ResNetLayers {
public:
    /// The network with the weights of `pretrained_model`, as of ResNet50Layers.
    explicit ResNet152Layers(const std::string& pretrained_model = "auto",
                             bool downsample_fb = false)
        : ResNetLayers(pretrained_model, 152, downsample_fb) {}
};

}  // namespace catena
