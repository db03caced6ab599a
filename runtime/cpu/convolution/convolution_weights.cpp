#include "runtime/cpu/convolution/convolution_weights.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/machine.h"

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

const void* moved(const void* elements, int64_t count, Dtype dtype) {
    return static_cast<const char*>(elements) + count * int64_t(size_of(dtype));
}

}  // namespace

ConvolutionWeights::ConvolutionWeights(const ConvolutionSizes& sizes) : sizes_(sizes) {
    const Division division = divide(sizes);
    channel_parts_ = division.channels;
    const int64_t batch = sizes.x[0];
    for (int64_t i = 0; i < division.batches; ++i) {
        Images images{batch * i / division.batches, batch * (i + 1) / division.batches, 0};
        ConvolutionSizes part = sizes;
        part.x[0] = part.y[0] = images.end - images.begin;
        part.y[1] /= channel_parts_;
        if (channel_parts_ > 1) part.W[0] /= channel_parts_;
        const auto primitive =
            ConvolutionPrimitive::find(ConvolutionDirection::weights, part, true);
        images.primitive = size_t(std::ranges::find(primitives_, primitive) - primitives_.begin());
        if (images.primitive == primitives_.size()) primitives_.push_back(primitive);
        images_.push_back(images);
    }
    make_calls(1);
    for (const ConvolutionCall& call : calls_[0]) {
        x_bytes_ = std::max(x_bytes_, call.a_bytes());
        part_bytes_ = std::max(part_bytes_, call.b_bytes() + call.execute_bytes());
    }
}

void ConvolutionWeights::make_calls(int64_t workers) {
    while (int64_t(calls_.size()) < workers)
        calls_.emplace_back(primitives_.begin(), primitives_.end());
}

int64_t ConvolutionWeights::workers() const { return std::min<int64_t>(thread_count(), parts()); }

size_t ConvolutionWeights::scratch_bytes(int64_t workers) const {
    const size_t results =
        images_.size() > 1 ? images_.size() * size_t(product(sizes_.W)) * sizeof(float) : 0;
    return images_.size() * x_bytes_ + size_t(workers) * part_bytes_ + Scratch::rounded(results);
}

void ConvolutionWeights::run(const void* x, const void* gy, float* gW,
                             std::span<std::byte> scratch) {
    const int64_t workers = this->workers(), ranges = int64_t(images_.size());
    make_calls(workers);
    const size_t bytes = scratch_bytes(workers);
    Scratch memory(scratch, bytes);
    std::byte* const images = memory.take(size_t(ranges) * x_bytes_);
    std::byte* const own = memory.take(size_t(workers) * part_bytes_);
    float* const results = ranges == 1 ? gW
                                       : reinterpret_cast<float*>(memory.take(
                                             size_t(ranges * product(sizes_.W)) * sizeof(float)));
    const int64_t image = product(sizes_.x) / sizes_.x[0];
    /// Calls f(index, worker) for [0, count); one thread at a time is the same worker.
    const auto divided = [&](int64_t count, auto&& f) {
        parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
            const onednn::OneThread scope;
            for (int64_t w = begin; w < end; ++w)
                for (int64_t i = count * w / workers; i < count * (w + 1) / workers; ++i)
                    f(i, size_t(w));
        });
    };
    divided(ranges, [&](int64_t i, size_t worker) {
        Images& range = images_[size_t(i)];
        range.x = calls_[worker][range.primitive].open_a(
            moved(x, range.begin * image, sizes_.dtype), images + size_t(i) * x_bytes_);
    });
    divided(parts(), [&](int64_t i, size_t worker) {
        run_part(i, calls_[worker], gy, results, own + worker * part_bytes_);
    });
    if (ranges > 1) add_up(results, gW);
}

void ConvolutionWeights::run_part(int64_t index, std::vector<ConvolutionCall>& calls,
                                  const void* gy, float* results, std::byte* scratch) const {
    const int64_t range = index / channel_parts_, channels = index % channel_parts_,
                  size = product(sizes_.W);
    const Images& images = images_[size_t(range)];
    ConvolutionCall& call = calls[images.primitive];
    const int64_t image = product(sizes_.y) / sizes_.y[0];
    const int64_t slice =
        (sizes_.y_order == MemoryOrder::row_major ? image : sizes_.y[1]) / channel_parts_;
    const void* const opened =
        call.open_b(moved(gy, images.begin * image + channels * slice, sizes_.dtype), scratch);
    call.execute(images.x, opened, nullptr,
                 results + range * size + channels * (size / channel_parts_),
                 scratch + call.b_bytes());
}

void ConvolutionWeights::add_up(const float* results, float* gW) const {
    const int64_t size = product(sizes_.W), ranges = int64_t(images_.size());
    parallel_for(size, machine::grain_of_elements(ranges), [&](int64_t begin, int64_t end) {
        std::copy(results + begin, results + end, gW + begin);
        for (int64_t range = 1; range < ranges; ++range)
            for (int64_t i = begin; i < end; ++i) gW[i] += results[range * size + i];
    });
}

}  // namespace catena
