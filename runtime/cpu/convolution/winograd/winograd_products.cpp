#include "runtime/cpu/convolution/winograd/winograd_products.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"
#include "runtime/cpu/onednn/onednn_call.h"
#include "runtime/cpu/product/tiles/product_tile.h"
#include "runtime/cpu/product/tiles/product_tiles.h"
#include "runtime/cpu/scratch.h"

namespace catena::winograd {
namespace {

using dnnl::memory;

/// Matrices [rows, columns], or stored [columns, rows].
memory::desc matrices(const Products::Form& f, int64_t rows, int64_t columns,
                      bool transposed = false) {
    const int64_t step = rows * columns + f.pad;
    const memory::dims strides =
        transposed ? memory::dims{step, 1, rows} : memory::dims{step, columns, 1};
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
    const dnnl::matmul::desc desc(matrices(f, f.m, f.k, f.transposed), matrices(f, f.k, f.n),
                                  matrices(f, f.m, f.n));
    return {desc, attributes, onednn::engine()};
}

#if defined(__x86_64__)

bool are_panels(const Products::Form& f) {
    return has_product_tiles() && f.n % tile_lanes == 0 && f.n <= most_tile_vectors * tile_lanes &&
           f.pad % tile_lanes == 0;
}

template <int vectors>
void multiply(const Products::Form& f, const float* a, const float* b, float* y) {
    const int64_t row = f.transposed ? 1 : f.k, tile_rows = tile_shape().rows;
    for (int64_t i = 0; i < f.m; i += tile_rows) {
        float* const to = y + i * f.n;
        // Nobody writes to a panel that is there.
        compute_rows<vectors>({.a = a + i * row,
                               .a_row = row,
                               .a_step = f.transposed ? f.m : 1,
                               .panel = {const_cast<float*>(b), f.n},
                               .k = f.k,
                               .plus = f.adds ? to : nullptr,
                               .plus_row = f.n,
                               .c = to,
                               .c_row = f.n,
                               .last = 0xffff},
                              std::min(tile_rows, f.m - i));
    }
}

#else

bool are_panels(const Products::Form&) { return false; }

#endif

}  // namespace

Products::Products(const Form& form) : form_(form), in_tiles_(are_panels(form)) {
    if (in_tiles_) return;
    desc_ = described(form);
    primitive_ = dnnl::matmul(desc_);
    scratch_bytes_ = Scratch::rounded(desc_.scratchpad_desc().get_size());
}

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
    if (in_tiles_) return run_in_tiles(a, b, y);
    onednn::Call& call = onednn::call_of_this_thread(primitive_, [&] {
        return onednn::Call(primitive_, {{DNNL_ARG_SRC, desc_.src_desc()},
                                         {DNNL_ARG_WEIGHTS, desc_.weights_desc()},
                                         {DNNL_ARG_DST, desc_.dst_desc()},
                                         {DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc()}});
    });
    Scratch scratch({}, scratch_bytes_);
    call.set(0, a);
    call.set(1, b);
    call.set(2, y);
    call.set(3, scratch.take(scratch_bytes_));
    call.run();
}

#if defined(__x86_64__)

void Products::run_in_tiles(const float* a, const float* b, float* y) const {
    const Form& f = form_;
    for (int64_t i = 0; i < f.batch;
         ++i, a += f.m * f.k + f.pad, b += f.k * f.n + f.pad, y += f.m * f.n + f.pad) {
        if (f.n == tile_lanes)
            multiply<1>(f, a, b, y);
        else if (f.n == 2 * tile_lanes)
            multiply<2>(f, a, b, y);
        else
            multiply<3>(f, a, b, y);
    }
}

#else

void Products::run_in_tiles(const float*, const float*, float*) const {
    CATENA_ASSERT(false, "this processor has no tiles");
}

#endif

}  // namespace catena::winograd
