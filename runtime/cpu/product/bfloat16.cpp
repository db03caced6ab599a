#include "runtime/cpu/product/bfloat16.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/dtype/half.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/fork.h"
#include "runtime/cpu/onednn/onednn.h"
#include "runtime/cpu/product/product_division.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

using Product = BFloat16Product;
using dnnl::memory;

bool processor_has_it() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

memory::desc matrix(int64_t rows, int64_t columns, bool transposed, int64_t stride, Dtype dtype) {
    const memory::dims strides = transposed ? memory::dims{1, stride} : memory::dims{stride, 1};
    return {{rows, columns}, onednn::data_type_of(dtype), strides};
}

/// A product on the calling thread alone.
struct Primitive {
    memory::desc a, b, c, scratchpad;
    dnnl::matmul product;

    explicit Primitive(const Product& p)
        : a(matrix(p.m, p.k, p.transa, p.lda, Dtype::bfloat16)),
          b(matrix(p.k, p.n, p.transb, p.ldb, Dtype::bfloat16)),
          c(matrix(p.m, p.n, false, p.ldc, p.c_dtype)) {
        dnnl::primitive_attr attributes;
        attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        const dnnl::matmul::primitive_desc desc({a, b, c}, attributes, onednn::engine());
        scratchpad = desc.scratchpad_desc();
        product = dnnl::matmul(desc);
    }

    void run(const Product& p) const {
        const Array workspace = onednn::scratch(scratchpad);
        product.execute(onednn::stream(),
                        {{DNNL_ARG_SRC, onednn::memory(a, p.a)},
                         {DNNL_ARG_WEIGHTS, onednn::memory(b, p.b)},
                         {DNNL_ARG_DST, onednn::memory(c, p.c)},
                         {DNNL_ARG_SCRATCHPAD, onednn::memory(scratchpad, workspace.to_fill())}});
        onednn::stream().wait();
    }
};

/// The primitive of a product's sizes, made once, because oneDNN generates code. Those of sizes
/// that no longer occur are dropped now and then.
std::shared_ptr<const Primitive> find(const Product& p) {
    constexpr size_t most = 2000;
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto* known = new std::map<std::vector<int64_t>, std::shared_ptr<const Primitive>>;
    std::vector<int64_t> key{p.transa, p.transb,          p.m, p.n, p.k, p.lda, p.ldb,
                             p.ldc,    int64_t(p.c_dtype)};
    std::lock_guard lock(mutex);
    if (known->size() > most) known->clear();
    std::shared_ptr<const Primitive>& found = (*known)[std::move(key)];
    if (!found) found = std::make_shared<Primitive>(p);
    return found;
}

void run(const Product& p) {
    if (p.m == 0 || p.n == 0) return;
    const onednn::OneThread scope;
    find(p)->run(p);
}

Product part(const Product& p, ProductRange rows, ProductRange columns, ProductRange depth) {
    Product q = p;
    q.m = rows.size(), q.n = columns.size(), q.k = depth.size();
    q.a += p.transa ? depth.begin * p.lda + rows.begin : rows.begin * p.lda + depth.begin;
    q.b += p.transb ? columns.begin * p.ldb + depth.begin : depth.begin * p.ldb + columns.begin;
    q.c = static_cast<char*>(p.c) +
          (rows.begin * p.ldc + columns.begin) * int64_t(size_of(p.c_dtype));
    return q;
}

/// c = the sum of float32 pieces, rounded once.
void add_up(const Product& p, const float* pieces, int64_t count) {
    parallel_for(p.m, machine::grain_of_elements(p.n * count), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            for (int64_t j = 0; j < p.n; ++j) {
                float sum = pieces[i * p.n + j];
                for (int64_t piece = 1; piece < count; ++piece)
                    sum += pieces[(piece * p.m + i) * p.n + j];
                if (p.c_dtype == Dtype::float32)
                    static_cast<float*>(p.c)[i * p.ldc + j] = sum;
                else
                    static_cast<BFloat16*>(p.c)[i * p.ldc + j].bits = float_to_bfloat16_bits(sum);
            }
    });
}

void fill_with_zeros(const Product& p) {
    for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) {
            if (p.c_dtype == Dtype::float32)
                static_cast<float*>(p.c)[i * p.ldc + j] = 0;
            else
                static_cast<BFloat16*>(p.c)[i * p.ldc + j].bits = 0;
        }
}

}  // namespace

bool has_bfloat16_products() {
    static const bool has =
        processor_has_it() && environment::flag("CATENA_BFLOAT16_PRODUCTS", true);
    return has;
}

void multiply_bfloat16(const Product& p) {
    if (p.m == 0 || p.n == 0) return;
    if (p.k == 0) return fill_with_zeros(p);
    const ProductDivision d = divide_product(p.m, p.n, p.k);
    const std::unique_ptr<float[]> pieces(d.depth > 1 ? new float[size_t(d.depth * p.m * p.n)]
                                                      : nullptr);
    parallel_for(d.count(), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t piece = i / (d.rows * d.columns);
            Product whole = p;
            if (pieces) {
                whole.c = pieces.get() + piece * p.m * p.n;
                whole.ldc = p.n;
                whole.c_dtype = Dtype::float32;
            }
            run(part(whole, product_range(p.m, i / d.columns % d.rows, d.rows),
                     product_range(p.n, i % d.columns, d.columns),
                     product_range(p.k, piece, d.depth)));
        }
    });
    if (pieces) add_up(p, pieces.get(), d.depth);
}

}  // namespace catena
