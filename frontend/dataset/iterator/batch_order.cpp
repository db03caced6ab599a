#include "frontend/dataset/iterator/batch_order.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "frontend/serializer/begin_anew.h"
#include "frontend/serializer/serializer.h"
#include "runtime/core/random/seed.h"
#include "runtime/core/system/counted.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

void note(int64_t examples, const std::string& what) {
    note_beginning(fmt::format("an iterator of {} {}", counted(examples, "example"), what));
}

}  // namespace

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
    if (!s.loading()) return save(s);
    if (begins_anew() && saved_size(s) != size_) return begin_epoch(s);
    BatchOrder loaded = *this;
    loaded.load(s);
    if (begins_anew()) loaded.note_place();
    s.later([this, loaded] { *this = loaded; });
}

void BatchOrder::save(const Serializer& s) {
    std::vector<int64_t> random{int64_t(stream_.seed), int64_t(stream_.operation), draws_};
    s("current_position", position_);
    s("epoch", epoch_);
    s("is_new_epoch", is_new_epoch_);
    std::vector<int64_t> order = order_ ? *order_ : std::vector<int64_t>();
    if (order_) s("order", order);
    s("previous_epoch_detail", previous_epoch_detail_);
    s("random_state", random);
    s("size", size_);
    const ShuffleOrderSampler* sampler = shuffle_sampler();
    if (!sampler) return;
    int64_t draws = sampler->draws();
    s("sampler_draws", draws);
    const OrderPart* part = sampler->part();
    if (!part) return;
    int64_t seed = sampler->seed();
    s("sampler_seed", seed);
    std::vector<int64_t> divided{part->examples, part->ranks, sampler->shift()};
    s("sampler_part", divided);
}

/// The number of examples in an epoch of the iterator in the file; size_ if it does not tell, or if
/// its sampler divides the rest of the epoch anew.
int64_t BatchOrder::saved_size(const Serializer& s) {
    const ShuffleOrderSampler* sampler = shuffle_sampler();
    if (sampler && sampler->part() && s.has("sampler_part")) return size_;
    if (s.has("size")) return s.get("size", size_);
    return order_ && s.has("order") ? int64_t(s.get("order", *order_).size()) : size_;
}

/// In the next order of the file's stream, from its beginning.
void BatchOrder::begin_epoch(const Serializer& s) {
    if (s.get("current_position", int64_t(0)) != 0)
        note(size_, fmt::format("begins its epoch anew, because it had {}", saved_size(s)));
    BatchOrder loaded = *this;
    loaded.epoch_ = s.get("epoch", epoch_);
    loaded.position_ = 0;
    loaded.is_new_epoch_ = s.get("is_new_epoch", is_new_epoch_);
    loaded.previous_epoch_detail_ = s.get("previous_epoch_detail", previous_epoch_detail_);
    loaded.load_stream(s);
    if (ShuffleOrderSampler* sampler = loaded.shuffle_sampler(); sampler && s.has("sampler_draws"))
        sampler->set_draws(s.get("sampler_draws", sampler->draws()));
    s.later([this, loaded]() mutable {
        loaded.order_ = nullptr;
        loaded.size_ = loaded.dataset_size_;
        loaded.renew_order(0);
        *this = loaded;
    });
}

void BatchOrder::note_place() {
    const ShuffleOrderSampler* sampler = shuffle_sampler();
    if (position_ == 0) return;  // It begins an epoch, as it would have.
    if (sampler && sampler->part()) return note(size_, "shares out what was left of its epoch");
    note(size_, fmt::format("goes on at {}, since it had as many, which is right if all ranks have "
                            "the same data",
                            position_));
}

void BatchOrder::load_stream(const Serializer& s) {
    if (!s.has("random_state")) return;
    std::vector<int64_t> random{int64_t(stream_.seed), int64_t(stream_.operation), draws_};
    random = s.get("random_state", random);
    if (random.size() != 3)
        s.wrong("random_state", fmt::format("has {} numbers, 3 are expected", random.size()));
    stream_ = {uint64_t(random[0]), uint64_t(random[1])};
    draws_ = random[2];
}

void BatchOrder::load(const Serializer& s) {
    epoch_ = s.get("epoch", epoch_);
    is_new_epoch_ = s.get("is_new_epoch", is_new_epoch_);
    previous_epoch_detail_ = s.has("previous_epoch_detail")
                                 ? s.get("previous_epoch_detail", previous_epoch_detail_)
                                 : previous_epoch_detail_;
    load_stream(s);
    position_ = s.get("current_position", position_);
    ShuffleOrderSampler* sampler = shuffle_sampler();
    if (sampler && s.has("sampler_draws")) {
        sampler->set_draws(s.get("sampler_draws", sampler->draws()));
        if (sampler->part()) return load_part(s, *sampler);
    }
    check_position(s);
    if (order_) load_order(s);
}

void BatchOrder::check_position(const Serializer& s) const {
    if (position_ < 0 || position_ > std::max<int64_t>(size_ - 1, 0))
        s.wrong("current_position",
                fmt::format("is {}, the dataset has {} examples", position_, size_));
}

void BatchOrder::load_order(const Serializer& s) {
    std::vector<int64_t> order =
        s.get(s.has("order") || !s.has("_order") ? "order" : "_order", *order_);
    if (order.size() != order_->size())
        s.wrong("order", fmt::format("has {} indices, the dataset {} examples", order.size(),
                                     order_->size()));
    for (int64_t i : order)
        if (i < 0 || i >= dataset_size_)
            s.wrong("order", fmt::format("has the index {} in a dataset of {}", i, dataset_size_));
    order_ = std::make_shared<const std::vector<int64_t>>(std::move(order));
}

/// Of a sampler that gives a rank's part of each order. What all ranks of the file have been given
/// of the present one are its first examples, so that any number of ranks can divide the others.
void BatchOrder::load_part(const Serializer& s, ShuffleOrderSampler& sampler) {
    if (sampler.draws() < 1)
        s.wrong("sampler_draws", fmt::format("is {}, 1 at least is right", sampler.draws()));
    sampler.set_seed(s.get("sampler_seed", sampler.seed()));
    const OrderPart& part = *sampler.part();
    std::vector<int64_t> divided{part.examples, part.ranks, 0};
    if (s.has("sampler_part"))
        divided = s.get("sampler_part", divided);
    else if (order_ && s.has("order"))
        load_order(s);  // Fails where it is of another number of ranks.
    if (divided.size() != 3 || divided[0] != part.examples || divided[1] < 1 ||
        divided[1] > std::numeric_limits<int>::max())
        s.wrong("sampler_part",
                fmt::format("is not that of a sampler of {} examples", part.examples));
    const int64_t ranks = divided[1], shift = divided[2];
    // Numbers that no such iterator has could overflow.
    if (position_ < 0 || position_ > part.examples / ranks + 1 || shift <= -2 * ranks ||
        shift >= 2 * ranks)
        s.wrong("current_position", fmt::format("is {} on {}, of {} examples in all", position_,
                                                counted(ranks, "rank"), part.examples));
    if (ranks == part.ranks) {
        sampler.set_shift(shift);
        check_position(s);
    } else {
        const int64_t taken = shift + position_ * ranks;
        if (taken < 0 || taken >= part.examples)
            s.wrong("current_position", fmt::format("is {} on {}, of {} examples in all", position_,
                                                    counted(ranks, "rank"), part.examples));
        position_ = sampler.divide_rest(taken);
    }
    order_ = std::make_shared<const std::vector<int64_t>>(sampler.present_part());
}

}  // namespace catena
