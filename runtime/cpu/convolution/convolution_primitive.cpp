#include "runtime/cpu/convolution/convolution_primitive.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/cpu/convolution/convolution_check.h"

namespace catena {

using dnnl::memory;

ConvolutionSizes::ConvolutionSizes(const Shape& x_shape, const Shape& W_shape, const Shape& y_shape,
                                   const WindowSteps& steps)
    : x(x_shape.begin(), x_shape.end()),
      W(W_shape.begin(), W_shape.end()),
      y(y_shape.begin(), y_shape.end()),
      y_channels(y_shape[1]) {
    for (int i = 0; i < x_shape.rank() - 2; ++i) {
        int64_t span = (y[i + 2] - 1) * steps.stride[i] + (W[i + 2] - 1) * steps.dilate[i] + 1;
        stride.push_back(steps.stride[i]);
        pad.push_back(steps.pad[i]);
        pad_end.push_back(std::max(steps.pad[i], span - x[i + 2] - steps.pad[i]));
        dilate.push_back(steps.dilate[i] - 1);
    }
    if (steps.groups > 1) {
        W[0] /= steps.groups;
        W.insert(W.begin(), steps.groups);
    }
}

std::vector<int64_t> ConvolutionSizes::key() const {
    std::vector<int64_t> key{y_channels,
                             int64_t(x_order),
                             int64_t(y_order),
                             int64_t(dtype),
                             int64_t(W.size()),
                             clips,
                             std::bit_cast<int32_t>(lowest),
                             std::bit_cast<int32_t>(highest)};
    for (const memory::dims* each : {&x, &W, &y, &stride, &pad, &pad_end, &dilate})
        key.insert(key.end(), each->begin(), each->end());
    return key;
}

namespace {

/// The layout to ask for inside. Blocked ones are faster even with the reorders they cost, but for
/// gradients towards few channels, where most of a block would be empty (measured). Channels-last
/// is as fast as blocked, without the reorders; not for groups of several channels.
memory::desc layout(const memory::dims& dims, ConvolutionDirection direction,
                    const ConvolutionSizes& s) {
    const bool is_last =
        s.x_order == MemoryOrder::channels_last || s.y_order == MemoryOrder::channels_last;
    const bool is_depthwise = s.has_groups() && s.W[0] == s.x[1] && s.W[0] == s.y[1] &&
                              direction != ConvolutionDirection::weights;
    // Towards the weights of windows with steps, blocked ones are so much faster that they are
    // worth the reorders.
    const bool steps = direction == ConvolutionDirection::weights &&
                       std::ranges::any_of(s.stride, [](int64_t n) { return n > 1; });
    if (is_last && (!steps || s.dtype == Dtype::bfloat16) && (!s.has_groups() || is_depthwise))
        return onednn::ordered(dims, MemoryOrder::channels_last, s.dtype);
    const bool blocked = direction != ConvolutionDirection::data || s.has_groups() || s.x[1] >= 8;
    return blocked ? onednn::any(dims, s.dtype)
                   : onednn::ordered(dims, MemoryOrder::row_major, s.dtype);
}

/// The name of oneDNN's loops without generated code.
bool is_plain(std::string_view implementation) { return implementation.starts_with("ref"); }

/// A primitive that is made of products, which oneDNN divides by the number of threads: so its sums
/// would have other bits on each.
bool depends_on_threads(const dnnl::primitive& primitive) {
    const dnnl_primitive_desc* const desc = primitive.get_primitive_desc();
    const char* name = nullptr;
    dnnl::error::wrap_c_api(dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name),
                            "the name of a primitive");
    return std::string_view(name).find("gemm") != std::string_view::npos;
}

dnnl::post_ops clipping(float lowest, float highest) {
    dnnl::post_ops steps;
    if (lowest == 0 && highest == std::numeric_limits<float>::infinity())
        steps.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    else
        steps.append_eltwise(1, dnnl::algorithm::eltwise_clip, lowest, highest);
    return steps;
}

/// Goes on to oneDNN's next implementations; false if there are not so many.
template <class Description>
bool skip(Description& description, int implementations) {
    while (implementations > 0 && description.next_impl()) --implementations;
    return implementations == 0;
}

/// A primitive by the implementation that oneDNN names after `skipped` others; none if there is
/// none.
std::optional<ConvolutionPrimitive> made(ConvolutionDirection direction, const ConvolutionSizes& s,
                                         int skipped) {
    using namespace dnnl;
    constexpr auto direct = algorithm::convolution_direct;
    const memory::desc x = layout(s.x, direction, s), W = onednn::any(s.W, s.dtype),
                       y = layout(s.y, direction, s);
    primitive_attr attributes;
    attributes.set_scratchpad_mode(scratchpad_mode::user);
    if (s.clips) attributes.set_post_ops(clipping(s.lowest, s.highest));
    const memory::desc bias = onednn::ordered({s.y[1]});
    const bool has_bias = direction == ConvolutionDirection::forward_bias;
    const convolution_forward::desc forward =
        has_bias ? convolution_forward::desc(prop_kind::forward_training, direct, x, W, bias, y,
                                             s.stride, s.dilate, s.pad, s.pad_end)
                 : convolution_forward::desc(prop_kind::forward_training, direct, x, W, y, s.stride,
                                             s.dilate, s.pad, s.pad_end);
    convolution_forward::primitive_desc hint(forward, attributes, onednn::engine());
    const memory::desc ours_x = onednn::ordered(s.x, s.x_order, s.dtype),
                       ours_W = onednn::ordered(s.W, MemoryOrder::row_major, s.dtype),
                       ours_y = onednn::slice_of_channels(s.y, s.y_channels, s.y_order, s.dtype);
    if (direction == ConvolutionDirection::data) {
        convolution_backward_data::primitive_desc desc(
            {direct, x, W, y, s.stride, s.dilate, s.pad, s.pad_end}, attributes, onednn::engine(),
            hint);
        if (!skip(desc, skipped)) return std::nullopt;
        return ConvolutionPrimitive{convolution_backward_data(desc),
                                    DNNL_ARG_DIFF_DST,
                                    DNNL_ARG_WEIGHTS,
                                    DNNL_ARG_DIFF_SRC,
                                    {ours_y, desc.diff_dst_desc(), true},
                                    {ours_W, desc.weights_desc(), true},
                                    {ours_x, desc.diff_src_desc(), false},
                                    desc.scratchpad_desc(),
                                    {},
                                    false,
                                    is_plain(desc.impl_info_str())};
    }
    if (direction == ConvolutionDirection::weights) {
        convolution_backward_weights::primitive_desc desc(
            {direct, x, onednn::any(s.W), y, s.stride, s.dilate, s.pad, s.pad_end}, attributes,
            onednn::engine(), hint);
        if (!skip(desc, skipped)) return std::nullopt;
        return ConvolutionPrimitive{convolution_backward_weights(desc),
                                    DNNL_ARG_SRC,
                                    DNNL_ARG_DIFF_DST,
                                    DNNL_ARG_DIFF_WEIGHTS,
                                    {ours_x, desc.src_desc(), true},
                                    {ours_y, desc.diff_dst_desc(), true},
                                    {onednn::ordered(s.W), desc.diff_weights_desc(), false},
                                    desc.scratchpad_desc(),
                                    {},
                                    false,
                                    is_plain(desc.impl_info_str())};
    }
    if (!skip(hint, skipped)) return std::nullopt;
    return ConvolutionPrimitive{convolution_forward(hint),
                                DNNL_ARG_SRC,
                                DNNL_ARG_WEIGHTS,
                                DNNL_ARG_DST,
                                {ours_x, hint.src_desc(), true},
                                {ours_W, hint.weights_desc(), true},
                                {ours_y, hint.dst_desc(), false},
                                hint.scratchpad_desc(),
                                bias,
                                has_bias,
                                is_plain(hint.impl_info_str())};
}

size_t image_bytes(const onednn::Tensor& tensor) {
    const dnnl_memory_desc_t& desc = tensor.ours().data;
    return size_t(desc.format_desc.blocking.strides[0]) *
           dnnl::memory::data_type_size(tensor.ours().data_type());
}

/// A primitive for one image on one thread, to be run for all of them.
std::optional<ConvolutionPrimitive> made_for_images(ConvolutionDirection direction,
                                                    ConvolutionSizes s, int skipped) {
    const int64_t images = s.x[0];
    s.x[0] = s.y[0] = 1;
    const onednn::OneThread scope;
    std::optional<ConvolutionPrimitive> primitive = made(direction, s, skipped);
    if (!primitive) return std::nullopt;
    primitive->images = images;
    primitive->a_step = image_bytes(primitive->a);
    primitive->result_step = image_bytes(primitive->result);
    return primitive;
}

std::optional<ConvolutionPrimitive> made_for_threads(ConvolutionDirection direction,
                                                     const ConvolutionSizes& sizes, int skipped) {
    std::optional<ConvolutionPrimitive> primitive = made(direction, sizes, skipped);
    const bool divides = primitive && direction != ConvolutionDirection::weights &&
                         depends_on_threads(primitive->primitive);
    return divides ? made_for_images(direction, sizes, skipped) : primitive;
}

/// oneDNN's cache of primitives knows one implementation for each description: with it there is no
/// next one.
class NoPrimitiveCache {
public:
    NoPrimitiveCache() : capacity_(dnnl::get_primitive_cache_capacity()) {
        dnnl::set_primitive_cache_capacity(0);
    }
    ~NoPrimitiveCache() { dnnl::set_primitive_cache_capacity(capacity_); }
    NoPrimitiveCache(const NoPrimitiveCache&) = delete;

private:
    const int capacity_;
};

std::shared_ptr<const ConvolutionPrimitive> made_shared(ConvolutionDirection direction,
                                                        const ConvolutionSizes& sizes,
                                                        bool on_one_thread, int skipped) {
    std::optional<ConvolutionPrimitive> one = on_one_thread
                                                  ? made(direction, sizes, skipped)
                                                  : made_for_threads(direction, sizes, skipped);
    return one ? std::make_shared<const ConvolutionPrimitive>(std::move(*one)) : nullptr;
}

/// The first implementation that is right.
std::shared_ptr<const ConvolutionPrimitive> made_right(ConvolutionDirection direction,
                                                       const ConvolutionSizes& sizes,
                                                       bool on_one_thread) {
    std::shared_ptr<const ConvolutionPrimitive> primitive =
        made_shared(direction, sizes, on_one_thread, 0);
    if (!is_unusual(sizes) || is_right(primitive, direction, sizes)) return primitive;
    const NoPrimitiveCache scope;
    for (int skipped = 1; (primitive = made_shared(direction, sizes, on_one_thread, skipped));
         ++skipped)
        if (is_right(primitive, direction, sizes)) return primitive;
    throw InternalError("convolution: oneDNN has no implementation that is right for these sizes");
}

}  // namespace

std::shared_ptr<const ConvolutionPrimitive> ConvolutionPrimitive::find(
    ConvolutionDirection direction, const ConvolutionSizes& sizes, bool on_one_thread) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto* known =
        new std::map<std::vector<int64_t>, std::shared_ptr<const ConvolutionPrimitive>>;
    std::vector<int64_t> key = sizes.key();
    key.push_back(int64_t(direction));
    key.push_back(on_one_thread);
    const std::lock_guard lock(mutex);
    std::shared_ptr<const ConvolutionPrimitive>& found = (*known)[std::move(key)];
    if (found) return found;
    const NoFork whole;
    std::optional<onednn::OneThread> scope;
    if (on_one_thread) scope.emplace();
    return found = made_right(direction, sizes, on_one_thread);
}

}  // namespace catena
