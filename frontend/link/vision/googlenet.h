#pragma once

#include "frontend/link/connection/inception.h"
#include "frontend/link/connection/linear.h"
#include "frontend/link/vision/vision_network.h"

namespace catena {

/// The network of Szegedy et al. (2015, arXiv:1409.4842) for pictures of 224 x 224. Layers: conv1,
/// pool1, conv2_reduce, conv2, pool2, inception_3a, inception_3b, pool3, inception_4a to
/// inception_4e, pool4, inception_5a, inception_5b, pool5, loss3_fc, prob, and the branches
/// loss1_fc2 and loss2_fc2, which are computed where they are asked for.
class GoogLeNet : public VisionNetwork {
public:
    /// `pretrained_model`: an .npz file; "auto": bvlc_googlenet.npz of the cache folder; "": none.
    explicit GoogLeNet(const std::string& pretrained_model = "auto");

    Convolution2D conv1, conv2_reduce, conv2;
    Inception inc3a, inc3b, inc4a, inc4b, inc4c, inc4d, inc4e, inc5a, inc5b;
    Linear loss3_fc;
    Convolution2D loss1_conv;
    Linear loss1_fc1, loss1_fc2;
    Convolution2D loss2_conv;
    Linear loss2_fc1, loss2_fc2;

protected:
    std::vector<Stage> stages() override;
    Array prepared(const Array& image, const std::optional<ImageSize>& size) const override;
    std::string features() const override { return "pool5"; }
};

namespace googlenet {

/// A picture as the network takes it: prepare_image with GoogLeNet's means.
Array prepare(const Array& image, const std::optional<ImageSize>& size = network_size);

}  // namespace googlenet
}  // namespace catena
