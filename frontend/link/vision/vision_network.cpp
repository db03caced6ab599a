#include "frontend/link/vision/vision_network.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "frontend/dataset/well_known/cache_folder.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

constexpr int64_t
    predicted = 224,
    loaded = 256;  ///< Pixels along a side of what is predicted, and of what it is cut from.

Variable cut(const Variable& x, int64_t top, int64_t left) {
    return slice_axis(slice_axis(x, 2, top, predicted), 3, left, predicted);
}

/// [N, 3, 256, 256] to [10 N, 3, 224, 224]: for each picture the corners, the centre, and all
/// mirrored.
Variable oversampled(const Variable& x) {
    constexpr int64_t far = loaded - predicted;
    const Variable crops = stack(
        {cut(x, 0, 0), cut(x, 0, far), cut(x, far, 0), cut(x, far, far), cut(x, far / 2, far / 2)},
        1);
    const Variable all = concat({crops, flip(crops, 4)}, 1);
    return reshape(all, {-1, x.shape()[1], predicted, predicted});
}

Variable batch_of(std::span<const Array> images, const std::function<Array(const Array&)>& prepare,
                  Device& device, const std::string& network) {
    if (images.empty()) fail<ValueError>("{}: no pictures were given", network);
    std::vector<Variable> all;
    for (const Array& image : images) all.emplace_back(prepare(image).to(device), false);
    return stack(all, 0);
}

}  // namespace

VisionNetwork::Results VisionNetwork::operator()(const Operand& x,
                                                 const std::vector<std::string>& layers) {
    LocationScope scope(x.location());
    return called(x, [&] { return computed(x, layers); });
}

std::vector<std::string> VisionNetwork::available_layers() {
    std::vector<std::string> names;
    for (const Stage& stage : stages()) names.push_back(stage.name);
    return names;
}

VisionNetwork::Results VisionNetwork::computed(const Variable& x,
                                               const std::vector<std::string>& layers) {
    const std::vector<Stage> all = stages();
    std::set<std::string> wanted(layers.begin(), layers.end()), needed_later;
    for (const std::string& name : layers)
        if (std::none_of(all.begin(), all.end(), [&](const Stage& s) { return s.name == name; })) {
            std::string names;
            for (const Stage& stage : all) names += (names.empty() ? "" : ", ") + stage.name;
            fail<ValueError>("{}: no layer is named '{}'; there is {}", type_name(), name, names);
        }
    for (const Stage& stage : all)
        if (wanted.contains(stage.name) && !stage.from.empty()) needed_later.insert(stage.from);
    Results results, kept;
    Variable h = x;
    for (const Stage& stage : all) {
        if (wanted.empty()) break;
        if (!stage.from.empty()) {  // A branch: computed only where it is wanted.
            if (!wanted.contains(stage.name)) continue;
            h = kept.at(stage.from);
        }
        for (const auto& step : stage.steps) h = step(h);
        if (needed_later.contains(stage.name)) kept[stage.name] = h;
        if (wanted.erase(stage.name)) results[stage.name] = h;
    }
    return results;
}

VisionNetwork::Results VisionNetwork::extract(std::span<const Array> images,
                                              const std::vector<std::string>& layers,
                                              const ImageSize& size) {
    const Variable x = batch_of(
        images, [&](const Array& image) { return prepared(image, size); }, device(), type_name());
    return (*this)(x, layers.empty() ? std::vector<std::string>{features()} : layers);
}

Variable VisionNetwork::predict(std::span<const Array> images, bool oversample) {
    const auto no_graph = no_backprop_mode();
    const auto mode = using_config(&Config::train, false);
    const Variable x = batch_of(
        images, [&](const Array& image) { return prepared(image, ImageSize{loaded, loaded}); },
        device(), type_name());
    constexpr int64_t border = (loaded - predicted) / 2;
    const Variable y = (*this)(oversample ? oversampled(x) : cut(x, border, border)).at("prob");
    if (!oversample) return y;
    return mean(reshape(y, {int64_t(images.size()), 10, y.shape()[1]}), {1});
}

void VisionNetwork::load_pretrained(const std::string& model, const Pretrained& pretrained) {
    if (model.empty()) return;
    namespace fs = std::filesystem;
    if (model.ends_with(".caffemodel"))
        fail<FileError>(
            "{}: '{}' is a Caffe model; convert it with Chainer's convert_caffemodel_to_npz, and "
            "pass the .npz",
            type_name(), model);
    const bool automatic = model == "auto";
    const fs::path path = automatic
                              ? cache_folder() / "pfnet" / "chainer" / "models" / pretrained.file
                              : fs::path(model);
    if (!fs::exists(path))
        fail<FileError>(
            "{}: no file {}; it should be what Chainer's {}.convert_caffemodel_to_npz makes of "
            "{}{}",
            type_name(), path.string(), type_name(), pretrained.source,
            automatic ? ". Pass \"\" for a network that is not trained, or another path" : "");
    load_npz(path.string(), *this);
}

}  // namespace catena
