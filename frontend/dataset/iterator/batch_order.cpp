#include "frontend/dataset/iterator/batch_order.h"

#include <algorithm>
#include <numeric>

#include "frontend/serializer/serializer.h"
#include "runtime/core/random/seed.h"
#include "runtime/core/system/error.h"

namespace catena {

BatchOrder::BatchOrder(int64_t size, int64_t batch_size, IteratorOptions options)
    : size_(size),
      batch_size_(batch_size),
      dataset_size_(size),
      options_(std::move(options)),
      stream_(next_host_stream()) {
    if (batch_size <= 0)
        fail<ValueError>("iterator: the batch size must be positive, not {}", batch_size);
    if (size <= 0 && options_.repeat)
        fail<ValueError>("iterator: the dataset has no examples to repeat");
    reset();
}

void BatchOrder::renew_order(int64_t position) {
    if (options_.order_sampler) {
        std::vector<int64_t> order;
        if (order_) {
            order = *order_;
        } else {
            order.resize(size_t(size_));
            std::iota(order.begin(), order.end(), 0);
        }
        std::vector<int64_t> sampled = options_.order_sampler(order, position);
        if (order_ && sampled.size() != order.size())
            fail<ValueError>("iterator: the order sampler returned {} indices, {} are needed",
                             sampled.size(), order.size());
        order_ = std::make_shared<const std::vector<int64_t>>(std::move(sampled));
        size_ = int64_t(order_->size());
    } else if (options_.shuffle) {
        order_ =
            std::make_shared<const std::vector<int64_t>>(permutation(size_, stream_, draws_++));
    }
}

void BatchOrder::reset() {
    position_ = 0;
    epoch_ = 0;
    is_new_epoch_ = false;
    previous_epoch_detail_ = -1;
    renew_order(0);
}

double BatchOrder::detail(int64_t epoch, int64_t position) const {
    return double(epoch) + (size_ > 0 ? double(position) / double(size_) : 0.0);
}

std::optional<double> BatchOrder::previous_epoch_detail() const {
    if (previous_epoch_detail_ < 0) return std::nullopt;
    return previous_epoch_detail_;
}

std::optional<std::vector<int64_t>> BatchOrder::next() {
    if (!options_.repeat && (epoch_ > 0 || size_ == 0)) return std::nullopt;
    previous_epoch_detail_ = epoch_detail();
    is_new_epoch_ = false;
    std::vector<int64_t> indices;
    indices.reserve(size_t(batch_size_));
    while (int64_t(indices.size()) < batch_size_) {
        int64_t part = std::min(batch_size_ - int64_t(indices.size()), size_ - position_);
        for (int64_t k = position_; k < position_ + part; ++k)
            indices.push_back(order_ ? (*order_)[size_t(k)] : k);
        position_ += part;
        if (position_ < size_) break;
        renew_order(position_);
        position_ = 0;
        epoch_ += 1;
        is_new_epoch_ = true;
        if (!options_.repeat) break;
    }
    return indices;
}

int64_t BatchOrder::seed_of(int64_t k) const {
    const uint64_t stream = stream_.seed ^ stream_.operation * 0x9E3779B97F4A7C15u ^
                            uint64_t(draws_) * 0xC2B2AE3D27D4EB4Fu;
    const uint64_t place = uint64_t(epoch_ * size_ + position_ + k);
    uint64_t x = stream + 0x9E3779B97F4A7C15u * (place + 1);  // splitmix64 (Steele et al. 2014)
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return int64_t((x ^ (x >> 31)) >> 1);
}

void BatchOrder::serialize(const Serializer& s) {
    std::vector<int64_t> random{int64_t(stream_.seed), int64_t(stream_.operation), draws_};
    if (!s.loading()) {
        s("current_position", position_);
        s("epoch", epoch_);
        s("is_new_epoch", is_new_epoch_);
        std::vector<int64_t> order = order_ ? *order_ : std::vector<int64_t>();
        if (order_) s("order", order);
        s("previous_epoch_detail", previous_epoch_detail_);
        s("random_state", random);
        if (const ShuffleOrderSampler* sampler = shuffle_sampler()) {
            int64_t draws = sampler->draws();
            s("sampler_draws", draws);
            int64_t seed = sampler->seed();
            if (sampler->has_part()) s("sampler_seed", seed);
        }
        return;
    }
    BatchOrder loaded = *this;
    loaded.position_ = s.get("current_position", position_);
    if (loaded.position_ < 0 || loaded.position_ > std::max<int64_t>(size_ - 1, 0))
        s.wrong("current_position",
                fmt::format("is {}, the dataset has {} examples", loaded.position_, size_));
    loaded.epoch_ = s.get("epoch", epoch_);
    loaded.is_new_epoch_ = s.get("is_new_epoch", is_new_epoch_);
    if (order_) {
        std::vector<int64_t> order =
            s.get(s.has("order") || !s.has("_order") ? "order" : "_order", *order_);
        if (order.size() != order_->size())
            s.wrong("order", fmt::format("has {} indices, the dataset {} examples", order.size(),
                                         order_->size()));
        for (int64_t i : order)
            if (i < 0 || i >= dataset_size_)
                s.wrong("order",
                        fmt::format("has the index {} in a dataset of {}", i, dataset_size_));
        loaded.order_ = std::make_shared<const std::vector<int64_t>>(std::move(order));
    }
    if (s.has("previous_epoch_detail"))
        loaded.previous_epoch_detail_ = s.get("previous_epoch_detail", previous_epoch_detail_);
    if (s.has("random_state")) {
        random = s.get("random_state", random);
        if (random.size() != 3)
            s.wrong("random_state", fmt::format("has {} numbers, 3 are expected", random.size()));
        loaded.stream_ = {uint64_t(random[0]), uint64_t(random[1])};
        loaded.draws_ = random[2];
    }
    if (ShuffleOrderSampler* sampler = loaded.shuffle_sampler();
        sampler && s.has("sampler_draws")) {
        const int64_t draws = s.get("sampler_draws", sampler->draws());
        sampler->set_draws(draws);
        if (sampler->has_part()) {
            if (draws < 1)
                s.wrong("sampler_draws", fmt::format("is {}, 1 at least is right", draws));
            sampler->set_seed(s.get("sampler_seed", sampler->seed()));
            loaded.order_ =
                std::make_shared<const std::vector<int64_t>>(sampler->part_of(draws - 1));
        }
    }
    s.later([this, loaded] { *this = loaded; });
}

}  // namespace catena
