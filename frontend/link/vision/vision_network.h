#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/dataset/augmentation.h"
#include "frontend/link/chain.h"

namespace catena {

/// Size of the pictures that these networks were trained with, in pixels.
inline constexpr ImageSize network_size{224, 224};

/// A network for pictures whose layers have names, as Chainer's in chainer.links.model.vision.
class VisionNetwork : public Chain {
public:
    /// Values by the names of their layers.
    using Results = std::map<std::string, Variable, std::less<>>;

    /// Results of these layers for prepared pictures [N, 3, H, W]; what follows the last of them is
    /// not computed. ValueError, with available_layers(), for another name.
    Results operator()(const Operand& x, const std::vector<std::string>& layers = {"prob"});
    /// The names of all layers, in order of computation.
    std::vector<std::string> available_layers();

    /// Results for pictures as prepare() takes them; without `layers`, of the layer before the
    /// classes.
    Results extract(std::span<const Array> images, const std::vector<std::string>& layers = {},
                    const ImageSize& size = network_size);
    /// Probabilities [images, 1000] in test mode, without a graph. `oversample`: means over the
    /// four corners and the centre of the picture in 256 x 256, and their mirror images; else of
    /// the centre.
    Variable predict(std::span<const Array> images, bool oversample = true);

protected:
    /// One named layer: functions called one after the other.
    struct Stage {
        std::string name;
        std::vector<std::function<Variable(const Variable&)>> steps;
        /// The layer whose result this one takes; by default the one before.
        std::string from = "";
    };
    virtual std::vector<Stage> stages() = 0;
    virtual Array prepared(const Array& image, const std::optional<ImageSize>& size) const = 0;
    /// The name of the layer that extract() returns by default.
    virtual std::string features() const = 0;

    /// The origin of pretrained weights, which errors name.
    struct Pretrained {
        std::string file;    ///< Chainer's name of the converted file.
        std::string source;  ///< The address of the original weights.
    };
    /// Loads `model`: nothing for "", the file of that name in the cache folder
    /// (pfnet/chainer/models) for "auto", else a path. FileError saying where the file belongs when
    /// it is not there.
    void load_pretrained(const std::string& model, const Pretrained& pretrained);

private:
    Results computed(const Variable& x, const std::vector<std::string>& layers);
};

/// A picture in the form that the networks for pictures take: float [3, height, width], blue, green
/// and red minus `mean`. `image` has uint8 or other numbers between 0 and 255, [H, W], [1, H, W] or
/// [3, H, W] in red, green and blue (further channels are ignored). It is resized by cubic
/// interpolation; without `size` it keeps its size.
Array prepare_image(const Array& image, const std::optional<ImageSize>& size,
                    const std::array<double, 3>& mean);

}  // namespace catena
