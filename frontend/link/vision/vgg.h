#pragma once

#include "frontend/link/connection/convolution.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/vision/vision_network.h"

namespace catena {

/// The networks of Simonyan and Zisserman (2015, arXiv:1409.1556) for pictures of 224 x 224.
/// Layers: conv1_1 to conv5_3 (or conv5_4), pool1 to pool5, fc6, fc7, fc8, prob.
class VGGLayers : public VisionNetwork {
public:
    Convolution2D conv1_1, conv1_2, conv2_1, conv2_2, conv3_1, conv3_2, conv3_3, conv4_1, conv4_2,
        conv4_3, conv5_1, conv5_2, conv5_3;
    Linear fc6, fc7, fc8;
    /// Further convolutions of the network with 19 layers.
    std::optional<Convolution2D> conv3_4, conv4_4, conv5_4;

protected:
    VGGLayers(const std::string& pretrained_model, int n_layers);
    std::vector<Stage> stages() override;
    Array prepared(const Array& image, const std::optional<ImageSize>& size) const override;
    std::string features() const override { return "fc7"; }
};

class VGG16Layers : public VGGLayers {
public:
    /// `pretrained_model`: an .npz file; "auto": VGG_ILSVRC_16_layers.npz of the cache folder; "":
    /// none.
    explicit VGG16Layers(const std::string& pretrained_model = "auto");
};

class VGG19Layers : public VGGLayers {
public:
    /// `pretrained_model`: an .npz file; "auto": VGG_ILSVRC_19_layers.npz of the cache folder; "":
    /// none.
    explicit VGG19Layers(const std::string& pretrained_model = "auto");
};

namespace vgg {

/// A picture as the network takes it: prepare_image with VGG's means.
Array prepare(const Array& image, const std::optional<ImageSize>& size = network_size);

}  // namespace vgg
}  // namespace catena
