#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/optimizer/optimizer.h"
#include "frontend/parallel/optimizer/bucket.h"
#include "frontend/parallel/optimizer/multi_node_optimizer_options.h"
#include "runtime/graph/walk/gradient_listener.h"

namespace catena {

/// The exchange of create_multi_node_optimizer(): means over the ranks, sent in buckets.
class BucketExchange final : public GradientExchange, private GradientListener {
public:
    BucketExchange(std::shared_ptr<Communicator> communicator,
                   const MultiNodeOptimizerOptions& options);

    void backward(Optimizer& optimizer, const Variable& loss,
                  const BackwardOptions& options) override;
    Outcome finish(Optimizer& optimizer) override;
    bool is_behind() const override { return options_.double_buffering; }
    bool is_sharded() const override { return options_.shard && communicator_->size() > 1; }
    Variables gather(std::span<const PartToGather> parts) override;
    bool has_parts() const override;
    void gather_parts() override;
    Variable everywhere(const Variable& truth) override;
    void restart() override;
    /// Saves or loads the means that the next update uses, with double buffering; nothing else
    /// lasts.
    void serialize(const Serializer& s) override;

private:
    /// Gradients that are sent together.
    struct Bucket {
        std::vector<UpdateSlot*> slots;  ///< The parameters; none: this rank has no gradients.
        Transfer transfer;
        Means means = Means::whole;
    };
    /// The gradient of a parameter that backward has sent. While it is referred to here nobody
    /// writes to the array, except through a pointer.
    struct Sent {
        UpdateSlot* slot;
        Array gradient;
    };

    Outcome exchanged(Optimizer& optimizer);
    void begin(Optimizer& optimizer);
    void complete(const Ref<VariableBody>& leaf) override;
    void reopen();
    void add_rest(UpdateSlot& slot);
    void add(UpdateSlot& slot);
    void close();
    void send(std::vector<UpdateSlot*> slots, Dtype dtype);
    Means means_for(const UpdateSlot& slot) const;
    bool has_changed() const;
    std::vector<Bucket> take_buckets();
    void drop(const std::vector<Bucket>& buckets);
    void abandon();

    void receive(const Bucket& bucket);
    void take(UpdateSlot& slot, Means means, const Variable& mean);
    Variable own_of(const Array& mean, const UpdateSlot& slot, Means means) const;
    RankPart own_part(const Variable& whole) const;
    Outcome receive_previous(std::vector<Bucket> now);
    bool are_like_previous(const std::vector<Bucket>& now) const;
    bool are_like_loaded(const std::vector<Bucket>& now) const;
    void begin_previous(const std::vector<Bucket>& like);
    void drop_previous();
    void load_previous();

    void agree_on_model(Optimizer& optimizer);
    bool make_equal(Optimizer& optimizer);
    void verify(Optimizer& optimizer);

    std::shared_ptr<Communicator> communicator_;
    MultiNodeOptimizerOptions options_;
    /// The parameters of the update; null: already added to a bucket.
    std::unordered_map<const VariableBody*, UpdateSlot*> waiting_;
    /// Of the optimizer that owns the slots, whose rules decide which parameters are divided.
    Optimizer* optimizer_ = nullptr;
    std::vector<UpdateSlot*> open_;  ///< The bucket that is being filled.
    int64_t open_bytes_ = 0;
    std::vector<Bucket> buckets_;
    std::vector<Sent> sent_;
    /// Whether buckets were sent since the last update that it will not use.
    bool is_again_ = false;
    /// The buckets of the previous iteration, with double buffering; their tickets are states.
    std::vector<Bucket> previous_;
    std::vector<State> tickets_;
    /// Means of the previous iteration, by path, that have arrived already or come from a file.
    std::map<std::string, Array> loaded_;
    /// A hash of the parameters and their types that the ranks have agreed on; 0: none.
    uint64_t known_model_ = 0;
    /// Whether the parameters' contents have not been compared since then.
    bool may_differ_ = false;
    /// Whether they are compared once more: after the first update that changes them, if no rank
    /// records it.
    bool is_unverified_ = false;
    bool is_to_verify_ = false;  ///< Whether that update was made and its sums are to be compared.
};

}  // namespace catena
