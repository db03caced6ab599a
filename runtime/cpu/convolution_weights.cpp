#include "runtime/cpu/convolution_weights.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>

#include "runtime/core/device.h"
#include "runtime/core/parallel.h"

namespace catena {
namespace {

using dnnl::memory;

int64_t product(const memory::dims& dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t(1), std::multiplies<>());
}

/// Parts of the batch, whose results are added up in order, and of the output channels.
struct Division {
    int64_t batches = 1, channels = 1;
    int64_t count() const { return batches * channels; }
};

Division divide(const ConvolutionSizes& s) {
    constexpr int64_t most_parts = 16, least_work = 1'000'000, least_channels = 64, enough = 4;
    const int64_t W = product(s.W), x = product(s.x), y = product(s.y), batch = s.x[0];
    const int64_t channels = s.y[1], work = y / channels * W;
    const auto most =
        int64_t(std::bit_floor(uint64_t(std::clamp<int64_t>(work / least_work, 1, most_parts))));
    Division d;
    const auto batch_fits = [&] { return 2 * d.count() <= most && 2 * d.batches <= batch; };
    // Parts of the batch cost a result each: they are for weights that are small beside the images.
    while (batch_fits() && 4 * d.batches * W <= x + y) d.batches *= 2;
    while (!s.has_groups() && 2 * d.count() <= most && channels % (2 * d.channels) == 0 &&
           channels / (2 * d.channels) >= least_channels)
        d.channels *= 2;
    while (d.count() < enough && batch_fits()) d.batches *= 2;
    return d;
}

/// What the parts of one range of the batch share.
struct Images {
    int64_t begin = 0, end = 0;
    std::shared_ptr<const ConvolutionPrimitive> primitive;
    memory x;
    Array held;  ///< x in the primitive's layout.
};

class Weights {
public:
    Weights(const ConvolutionSizes& sizes, const void* x, const void* gy, float* gW)
        : sizes_(sizes),
          division_(divide(sizes)),
          x_(static_cast<const char*>(x)),
          gy_(static_cast<const char*>(gy)),
          gW_(gW),
          size_(product(sizes.W)) {
        if (division_.batches > 1)
            results_ =
                Array::empty({Dtype::float32, Shape{division_.batches, size_}}, cpu_device());
    }

    void run() {
        std::vector<Images> images(static_cast<size_t>(division_.batches));
        parallel_for(division_.batches, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) images[size_t(i)] = prepare(i);
        });
        parallel_for(division_.count(), 1, [&](int64_t begin, int64_t end) {
            onednn::OneThread scope;
            for (int64_t i = begin; i < end; ++i)
                run_part(images[size_t(i / division_.channels)], i / division_.channels,
                         i % division_.channels);
        });
        if (division_.batches > 1) add_up();
    }

private:
    Images prepare(int64_t index) const {
        onednn::OneThread scope;
        const int64_t batch = sizes_.x[0];
        Images images{batch * index / division_.batches,
                      batch * (index + 1) / division_.batches,
                      nullptr,
                      {},
                      {}};
        ConvolutionSizes part = sizes_;
        part.x[0] = part.y[0] = images.end - images.begin;
        part.y[1] /= division_.channels;
        if (division_.channels > 1) part.W[0] /= division_.channels;
        images.primitive = ConvolutionPrimitive::find(ConvolutionDirection::weights, part, true);
        images.x =
            images.primitive->prepare(x_ + images.begin * (product(sizes_.x) / batch) * element_size_, images.held);
        return images;
    }

    void run_part(const Images& images, int64_t batches, int64_t channels) {
        const int64_t image = product(sizes_.y) / sizes_.y[0];
        const int64_t slice =
            (sizes_.y_order == MemoryOrder::row_major ? image : sizes_.y[1]) / division_.channels;
        const char* gy = gy_ + (images.begin * image + channels * slice) * element_size_;
        float* to = division_.batches > 1 ? results_.to_fill<float>() + batches * size_ : gW_;
        images.primitive->run(images.x, gy, to + channels * (size_ / division_.channels));
    }

    void add_up() const {
        const float* from = results_.elements<float>();
        parallel_for(size_, 1 + 20'000 / division_.batches, [&](int64_t begin, int64_t end) {
            std::copy(from + begin, from + end, gW_ + begin);
            for (int64_t part = 1; part < division_.batches; ++part)
                for (int64_t i = begin; i < end; ++i) gW_[i] += from[part * size_ + i];
        });
    }

    const ConvolutionSizes& sizes_;
    const Division division_;
    const char* const x_;
    const char* const gy_;
    float* const gW_;
    const int64_t size_;
    const int64_t element_size_ = int64_t(size_of(sizes_.dtype));
    Array results_;
};

}  // namespace

void convolution_weights(const ConvolutionSizes& sizes, const void* x, const void* gy,
                         float* gW) {
    Weights(sizes, x, gy, gW).run();
}

}  // namespace catena
