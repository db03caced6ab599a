// Pooling over any number of axes, and its inverses.
#include <algorithm>
#include <cmath>

#include "tests/ops/op_table.h"

namespace catena::testing::pooling_nd_rows {

namespace {

struct Window {
    Dims size, stride, pad;
    bool cover_all = true;
};

int64_t windows(const Window& w, int i, int64_t size) {
    const int64_t room = size + 2 * w.pad[i] - w.size[i];
    return (w.cover_all ? room + w.stride[i] - 1 : room) / w.stride[i] + 1;
}

/// Calls f(number, index) for the elements of the window at `at` that lie within `shape`.
void each_of_window(const Window& w, const Dims& at, const Shape& shape,
                    const std::function<void(int64_t, const Dims&)>& f) {
    int64_t number = 0;
    for_each_index(w.size, [&](const Dims& k) {
        Dims index = at;
        bool inside = true;
        for (int i = 0; i < w.size.rank(); ++i) {
            index[i + 2] = at[i + 2] * w.stride[i] - w.pad[i] + k[i];
            inside = inside && index[i + 2] >= 0 && index[i + 2] < shape[i + 2];
        }
        if (inside) f(number, index);
        ++number;
    });
}

Shape pooled(const Reference& x, const Window& w) {
    Shape shape = x.shape;
    for (int i = 0; i < w.size.rank(); ++i) shape[i + 2] = windows(w, i, shape[i + 2]);
    return shape;
}

Truth maxima(Window w, bool indices = false) {
    return [=](const References& in) -> References {
        Reference y(pooled(in[0], w), -INFINITY), number(y.shape);
        for_each_index(y.shape, [&](const Dims& at) {
            each_of_window(w, at, in[0].shape, [&](int64_t k, const Dims& i) {
                if (in[0][i] <= y[at]) return;
                y[at] = in[0][i];
                number[at] = double(k);
            });
        });
        return indices ? References{y, number} : References{y};
    };
}

Truth means(Window w, bool count_pad) {
    w.cover_all = false;
    return one([=](const References& in) {
        Reference y(pooled(in[0], w));
        for_each_index(y.shape, [&](const Dims& at) {
            double count = 0;
            each_of_window(w, at, in[0].shape, [&](int64_t, const Dims& i) {
                y[at] += in[0][i];
                ++count;
            });
            y[at] /= count_pad ? double(element_count(w.size)) : count;
        });
        return y;
    });
}

/// x spread over its windows of an array with these sizes, or put at one place of each.
Truth unpooled(Window w, Dims sizes, bool at_places = false) {
    return one([=](const References& in) {
        Shape shape = in[0].shape;
        for (int i = 0; i < sizes.rank(); ++i) shape[i + 2] = sizes[i];
        Reference y(shape);
        for_each_index(in[0].shape, [&](const Dims& at) {
            each_of_window(w, at, shape, [&](int64_t k, const Dims& i) {
                if (!at_places || k == int64_t(in[1][at])) y[i] += in[0][at];
            });
        });
        return y;
    });
}

const Input line = {.shape = {2, 3, 7}}, image = {.shape = {2, 2, 5, 4}},
            volume = {.shape = {2, 2, 4, 3, 5}};
const Window pairs{{2}, {2}, {0}}, wide{{3}, {2}, {1}}, boxes{{2, 2, 3}, {2, 1, 2}, {1, 0, 1}};
Settings box_settings() {
    return {{"ksize", "(2, 2, 3)"}, {"stride", "(2, 1, 2)"}, {"pad", "(1, 0, 1)"}};
}
Settings with(Settings settings, const char* name, const char* value) {
    settings[name] = value;
    return settings;
}

const int rows = add_rows({
    {.function = "max_pooling_1d",
     .set = {{"ksize", "2"}},
     .inputs = {line},
     .truth = maxima(pairs),
     .rejects =
         {{.inputs = {image},
           .message =
               "max_pooling_1d: x should be [N,C,...] with 1 further axes, it is [2,2,5,4]"}}},
    {.function = "max_pooling_1d",
     .note = "options",
     .set = {{"ksize", "3"},
             {"stride", "2"},
             {"pad", "1"},
             {"cover_all", "False"},
             {"return_indices", "True"}},
     .inputs = {line},
     .truth = maxima({{3}, {2}, {1}, false}, true)},
    {.function = "max_pooling_3d",
     .set = box_settings(),
     .inputs = {volume},
     .truth = maxima(boxes)},
    {.function = "max_pooling_3d",
     .note = "indices",
     .set = with(box_settings(), "return_indices", "True"),
     .inputs = {volume},
     .truth = maxima(boxes, true)},
    {.function = "max_pooling_nd",
     .set = {{"ksize", "(2, 3)"}, {"stride", "1"}},
     .inputs = {image},
     .truth = maxima({{2, 3}, {1, 1}, {0, 0}}),
     .rejects = {{.inputs = {{.shape = {2, 3}}},
                  .message =
                      "max_pooling_nd: x should be [N,C,...] with some further axes, it is [2,3]"},
                 {.set = {{"ksize", "(2, 3, 4)"}}, .message = "max_pooling_nd: ksize"}}},
    {.function = "average_pooling_1d",
     .set = {{"ksize", "3"}, {"stride", "2"}, {"pad", "1"}},
     .inputs = {line},
     .truth = means(wide, true),
     .tolerance = 2,
     .rejects = {{.set = {{"pad_value", "1"}},
                  .message = "average_pooling_1d: pad_value is 1 and should be 0 or None"}}},
    {.function = "average_pooling_1d",
     .note = "inside",
     .set = {{"ksize", "3"}, {"stride", "2"}, {"pad", "1"}, {"pad_value", "None"}},
     .inputs = {line},
     .truth = means(wide, false),
     .tolerance = 2},
    {.function = "average_pooling_3d",
     .set = box_settings(),
     .inputs = {volume},
     .truth = means(boxes, true),
     .tolerance = 2},
    {.function = "average_pooling_nd",
     .set = with(box_settings(), "pad_value", "None"),
     .inputs = {volume},
     .truth = means(boxes, false),
     .tolerance = 2},
    {.function = "spatial_pyramid_pooling_2d",
     .set = {{"pyramid_height", "2"}},
     .inputs = {image},
     .truth = one([](const References& in) {
         const Reference whole = maxima({{5, 4}, {5, 4}, {0, 0}}).of(in)[0];
         const Reference parts = maxima({{3, 2}, {3, 2}, {0, 0}}).of(in)[0];
         Reference y(Shape{2, 10, 1, 1});
         for (int64_t n = 0; n < 2; ++n)
             for (int64_t k = 0; k < 10; ++k)
                 y.values[size_t(n * 10 + k)] =
                     k < 2 ? whole.values[size_t(n * 2 + k)] : parts.values[size_t(n * 8 + k - 2)];
         return y;
     }),
     .rejects = {{.set = {{"pyramid_height", "0"}},
                  .message =
                      "spatial_pyramid_pooling_2d: pyramid_height is 0 and should be positive"},
                 {.set = {{"pooling", "'mean'"}},
                  .message = "spatial_pyramid_pooling_2d: pooling is 'mean' and should be 'max'"}}},
    {.function = "unpooling_1d",
     .set = {{"ksize", "2"}},
     .inputs = {line},
     .truth = unpooled(pairs, {13})},
    {.function = "unpooling_1d",
     .note = "overlaps",
     .set = {{"ksize", "3"}, {"stride", "2"}, {"pad", "1"}, {"cover_all", "False"}},
     .inputs = {line},
     .truth = unpooled(wide, {13}),
     .tolerance = 2},
    {.function = "unpooling_2d",
     .set = {{"ksize", "2"}, {"outsize", "(10, 7)"}},
     .inputs = {image},
     .truth = unpooled({{2, 2}, {2, 2}, {0, 0}}, {10, 7}),
     .rejects =
         {{.set = {{"outsize", "(11, 7)"}},
           .message =
               "unpooling_2d: [11,7] has 6 windows of [2,2] (stride [2,2], pad [0,0]) in axis 2, x "
               "[2,2,5,4] has 5 elements"}}},
    {.function = "unpooling_3d",
     .set = {{"ksize", "(2, 1, 3)"}, {"stride", "(1, 2, 2)"}},
     .inputs = {volume},
     .truth = unpooled({{2, 1, 3}, {1, 2, 2}, {0, 0, 0}}, {5, 4, 10}),
     .tolerance = 2},
    {.function = "unpooling_nd",
     .set = {{"ksize", "3"}, {"stride", "4"}, {"outsize", "19"}},
     .inputs = {{.shape = {2, 2, 5}}},
     .truth = unpooled({{3}, {4}, {0}}, {19})},
    {.function = "upsampling_2d",
     .set = {{"ksize", "2"}, {"outsize", "(4, 5)"}},
     .inputs = {{.shape = {1, 2, 2, 3}},
                {.shape = {1, 2, 2, 3},
                 .dtype = Dtype::int32,
                 .values = {0, 3, 2, 1, 1, 0, 2, 0, 0, 3, 3, 2}}},
     .truth = unpooled({{2, 2}, {2, 2}, {0, 0}}, {4, 5}, true),
     .rejects = {{.inputs = {image, image},
                  .message = "upsampling_2d: indexes should be integers of x's shape [2,2,5,4], it "
                             "is float32[2,2,5,4]"}}},
    {.function = "upsampling_2d",
     .note = "overlaps",
     .set = {{"ksize", "(2, 3)"}, {"stride", "1"}, {"pad", "(0, 1)"}},
     .inputs = {{.shape = {1, 1, 2, 3}},
                {.shape = {1, 1, 2, 3}, .dtype = Dtype::int32, .values = {1, 3, 4, 5, 1, 0}}},
     .truth = unpooled({{2, 3}, {1, 1}, {0, 1}}, {3, 3}, true),
     .tolerance = 2},
});

}  // namespace

}  // namespace catena::testing::pooling_nd_rows
