#include "runtime/cpu/winograd_sizes.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/core/device.h"
#include "runtime/core/environment.h"
#include "runtime/core/fork.h"
#include "runtime/core/memory_order.h"
#include "runtime/cpu/onednn_call.h"
#include "runtime/cpu/scratch.h"

namespace catena::winograd {
namespace {

using dnnl::memory;

int64_t rounded_up(int64_t n, int64_t by) { return (n + by - 1) / by; }

/// Matrices [rows, columns], or stored [columns, rows].
memory::desc matrices(const Products::Form& f, int64_t rows, int64_t columns, bool transposed = false) {
    const int64_t step = rows * columns + f.pad;
    const memory::dims strides = transposed ? memory::dims{step, 1, rows} : memory::dims{step, columns, 1};
    return {{f.batch, rows, columns}, memory::data_type::f32, strides};
}

dnnl::matmul::primitive_desc described(const Products::Form& f) {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (f.adds) {
        dnnl::post_ops sum;
        sum.append_sum(1);
        attributes.set_post_ops(sum);
    }
    const dnnl::matmul::desc desc(matrices(f, f.m, f.k, f.transposed), matrices(f, f.k, f.n), matrices(f, f.m, f.n));
    return {desc, attributes, onednn::engine()};
}

bool is_channels_last(const Array& images) {
    return memory_order(images.shape(), images.strides()) == MemoryOrder::channels_last;
}

}  // namespace

bool is_on() {
    static const bool on = environment::flag("CATENA_WINOGRAD", true);
    return on;
}

bool fits(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps) {
    if (x.rank() != 4 || W[2] != 3 || W[3] != 3 || steps.groups != 1) return false;
    for (int d = 0; d < 2; ++d)
        if (steps.stride[d] != 1 || steps.dilate[d] != 1 || steps.pad[d] < 0 || steps.pad[d] > 2) return false;
    return x[1] % lanes == 0 && y[1] % lanes == 0;
}

bool is_faster(const Sizes& s, const Speed& speed) {
    // Values of all tiles and of the weights, which in blocks stay in a core's cache.
    const double weights = (s.has_small_tiles() ? 0.7 : speed.weight_passes) * double(s.in * s.out);
    const double moved = double(values * 4) * (double(s.tiles() * (s.in + s.out)) + weights);
    const double seconds = s.products() / speed.products_a_second + moved / speed.bytes_a_second;
    return seconds < speed.gain * s.direct_products() / speed.products_a_second;
}

Sizes sizes_of(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps) {
    return {x[0], W[1], W[0], x[2], x[3], y[2], y[3], steps.pad[0], steps.pad[1], rounded_up(y[2], out_side), rounded_up(y[3], out_side)};
}

bool Sizes::has_small_tiles() const {
    constexpr int64_t cache_floats = 3'000'000, large = 256 * 256;
    return images > 1 && in * out >= large && values * tiles() * in <= cache_floats;
}

Tile Sizes::result(int64_t index) const {
    const int64_t column = index % tile_columns * out_side, rest = index / tile_columns;
    const int64_t row = rest % tile_rows * out_side, image = rest / tile_rows;
    return {0, 0, std::min(out_side, out_height - row), std::min(out_side, out_width - column),
            ((image * out_height + row) * out_width + column) * out, out_width * out, out};
}

Tile Sizes::input(int64_t index) const {
    const int64_t column = index % tile_columns * out_side - pad_left, rest = index / tile_columns;
    const int64_t row = rest % tile_rows * out_side - pad_top, image = rest / tile_rows;
    const int64_t top = std::max<int64_t>(0, -row), left = std::max<int64_t>(0, -column);
    return {top, left, std::min(in_side, height - row) - top, std::min(in_side, width - column) - left,
            ((image * height + row + top) * width + column + left) * in, width * in, in};
}

Array channels_last(const Array& images) {
    if (is_channels_last(images)) return images;
    const Array made = channels_last_like(images);
    copy_elements(images, made);
    return made;
}

Array channels_last_like(const Array& images) {
    if (is_channels_last(images)) return images;
    return Array::empty(images.type(), images.device()).view(images.shape(), strides_in(MemoryOrder::channels_last, images.shape()), 0);
}

Products::Products(const Form& form)
    : desc_(described(form)), primitive_(desc_), scratch_bytes_(Scratch::rounded(desc_.scratchpad_desc().get_size())) {}

std::shared_ptr<const Products> Products::find(const Form& form) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto* known = new std::map<Form, std::shared_ptr<const Products>>;
    const std::lock_guard lock(mutex);
    std::shared_ptr<const Products>& found = (*known)[form];
    if (!found) {
        const onednn::OneThread scope;
        found = std::make_shared<Products>(form);
    }
    return found;
}

void Products::run(const float* a, const float* b, float* y) const {
    onednn::Call& call = onednn::call_of_this_thread(primitive_, [&] {
        return onednn::Call(primitive_, {{DNNL_ARG_SRC, desc_.src_desc()}, {DNNL_ARG_WEIGHTS, desc_.weights_desc()},
                                         {DNNL_ARG_DST, desc_.dst_desc()}, {DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc()}});
    });
    Scratch scratch({}, scratch_bytes_);
    call.set(0, a);
    call.set(1, b);
    call.set(2, y);
    call.set(3, scratch.take(scratch_bytes_));
    call.run();
}

}  // namespace catena::winograd
