#include "imagenet/picture_sets.h"

#include "support/example.h"
#include "support/pictures.h"
#include <catena/frontend/image/image_dataset.h>

namespace ct = catena;

ct::Dataset pictures(const std::string& list, const PictureOptions& options, int64_t made_up,
                     uint64_t seed) {
    if (!list.empty()) return ct::LabeledImageDataset(list, {.root = options.root});
    const examples::Pictures small = examples::made_up_pictures(made_up, seed);
    const int64_t side = options.size + 8;
    const auto enlarged = [side](const ct::Example& e) {
        const auto no_graph = ct::no_backprop_mode();
        return ct::Example{
            (255 * ct::squeeze(ct::resize_images(ct::expand_dims(e[0], 0), {side, side}), {0}))
                .array(),
            e[1]};
    };
    return ct::TransformDataset(ct::TupleDataset(small.images, small.labels), enlarged);
}

ct::Array mean_picture(const ct::Dataset& pictures) {
    const auto no_graph = ct::no_backprop_mode();
    if (pictures.size() == 0) ct::fail<ct::ValueError>("no pictures, so no mean of them");
    ct::Variable sum = pictures[0][0];
    for (int64_t i = 1; i < pictures.size(); ++i) {
        const ct::Array picture = pictures[i][0];
        if (picture.shape() != sum.shape())
            ct::fail<ct::ValueError>(
                "picture {} is {}, those before are {}: a mean needs pictures of equal size", i,
                to_string(picture.shape()), to_string(sum.shape()));
        sum = sum + picture;
    }
    return (sum / double(pictures.size())).array();
}

/// The mean colours of some pictures of any sizes, [3, 1, 1].
static ct::Array mean_colours(const ct::Dataset& dataset) {
    const auto no_graph = ct::no_backprop_mode();
    const int64_t count = std::min<int64_t>(dataset.size(), 100);
    ct::Variable sum = ct::Array::zeros({ct::Dtype::float32, {3, 1, 1}});
    for (int64_t i = 0; i < count; ++i) sum = sum + ct::mean(dataset[i][0], {1, 2}, true);
    return (sum / double(count)).array();
}

/// Less the mean, a part of them.
struct Prepared : ct::DatasetMixin {
    ct::Dataset pictures;
    ct::Array mean;
    int64_t part;
    bool random;
    Prepared(ct::Dataset pictures, ct::Array mean, int64_t part, bool random)
        : pictures(std::move(pictures)), mean(std::move(mean)), part(part), random(random) {}
    int64_t size() const override { return pictures.size(); }
    ct::Example get_example(int64_t i) const override {
        const ct::Example e = pictures[i];
        const ct::Shape shape = e[0].shape();
        if (mean.dim(1) > 1 && shape != mean.shape())
            ct::fail<ct::ValueError>(
                "picture {} (from 0) of {} is {}, the mean picture is {}: give pictures of its "
                "size, or no --mean",
                i, pictures.size(), to_string(shape), to_string(mean.shape()));
        const auto no_graph = ct::no_backprop_mode();
        const ct::Array picture = (e[0] - mean) / 128.0;
        return {random ? ct::random_flip(ct::random_crop(picture, {part, part}))
                       : ct::center_crop(picture, {part, part}),
                e[1]};
    }
};

PictureSets picture_sets(const PictureOptions& options) {
    examples::require_together({{"--train", options.train_list}, {"--val", options.val_list}});
    const ct::Dataset training = pictures(options.train_list, options, options.made_up, 1);
    const ct::Dataset test = pictures(options.val_list, options, options.made_up / 5, 2);
    for (const auto& [dataset, flag] : {std::pair(training, "--train"), std::pair(test, "--val")})
        if (dataset.size() == 0) ct::fail<ct::ValueError>("{}: there should be pictures", flag);
    const ct::Array mean =
        options.mean.empty() ? mean_colours(training) : ct::load_npy(options.mean);
    const ct::Shape first = training[0][0].shape(), scalar_colours{3, 1, 1};
    if (mean.shape() != first && mean.shape() != scalar_colours)
        ct::fail<ct::ValueError>("--mean: {} has a picture {}, the training pictures are {}",
                                 options.mean, to_string(mean.shape()), to_string(first));
    return {Prepared(training, mean, options.size, true),
            Prepared(test, mean, options.size, false)};
}
