#include "frontend/parallel/multi_node_optimizer.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "runtime/core/device.h"
#include "runtime/graph/arithmetic.h"
#include "runtime/graph/backward.h"
#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"
#include "runtime/ops/communication/communication.h"

namespace catena {
namespace {

constexpr int64_t usual_bucket_bytes = 1 << 20;

uint64_t mix(uint64_t hash, const void* data, size_t bytes) {
    const auto* p = static_cast<const unsigned char*>(data);
    for (; bytes >= 8; p += 8, bytes -= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    for (; bytes > 0; ++p, --bytes) hash = (hash ^ *p) * 0x100000001B3u;
    return hash;
}
uint64_t mix(uint64_t hash, const std::string& text) { return mix(hash, text.data(), text.size()); }

int64_t bytes_of(const Variable& x) { return x.size() * int64_t(size_of(x.dtype())); }

/// Gradients that are sent together.
struct Bucket {
    std::vector<UpdateSlot*> slots;
    std::vector<Type> types;
    Variable ticket;
};

class BucketExchange final : public GradientExchange, private GradientListener {
public:
    BucketExchange(std::shared_ptr<Communicator> communicator,
                   const MultiNodeOptimizerOptions& options)
        : communicator_(std::move(communicator)), options_(options) {
        const std::string &dtype = communicator_->get_config("allreduce_grad_dtype"),
                          &bytes = communicator_->get_config("bucket_bytes");
        if (!options_.allreduce_grad_dtype && !dtype.empty())
            options_.allreduce_grad_dtype = parse_dtype(dtype);
        if (!options_.bucket_bytes)
            options_.bucket_bytes = bytes.empty() ? usual_bucket_bytes : std::stoll(bytes);
    }

    void backward(Optimizer& optimizer, const Variable& loss,
                  const BackwardOptions& options) override {
        if (!options_.overlap) return loss.backward(options);
        begin(optimizer);
        GradientListenerScope listening(*this);
        loss.backward(options);
    }

    bool finish(Optimizer& optimizer) override {
        if (slot_of_.empty()) begin(optimizer);
        for (UpdateSlot& slot : optimizer.slots()) add_rest(slot);
        close();
        slot_of_.clear();
        bool equal = parameters_equal(optimizer);
        std::vector<Bucket> buckets = std::exchange(buckets_, {});
        if (options_.double_buffering) return receive_previous(std::move(buckets)) && equal;
        for (const Bucket& bucket : buckets) receive(bucket);
        return equal;
    }

private:
    void begin(Optimizer& optimizer) {
        abandon();
        for (UpdateSlot& slot : optimizer.slots())
            if (slot.param.array().defined() && *slot.enabled) slot_of_[slot.param.body()] = &slot;
    }

    std::vector<Bucket> forget() {
        slot_of_.clear();
        open_ = {};
        open_bytes_ = 0;
        return std::exchange(buckets_, {});
    }

    /// A backward run whose gradients no update used.
    void abandon() {
        for (const Bucket& bucket : forget())
            parallel::wait_bucket(*communicator_, bucket.ticket, bucket.types);
    }

    void complete(const Ref<VariableBody>& leaf) override {
        auto found = slot_of_.find(leaf.get());
        if (found != slot_of_.end() && found->second) add(*std::exchange(found->second, nullptr));
    }

    /// Sends the remaining gradients at the update.
    void add_rest(UpdateSlot& slot) {
        auto found = slot_of_.find(slot.param.body());
        if (found == slot_of_.end() || !found->second) return;
        if (!slot.param.grad_variable().defined()) {
            if (!options_.zero_fill) return;
            const DeviceScope beside(slot.param.device());
            slot.param.set_grad_variable(fill(slot.param.type(), 0));
        }
        add(*std::exchange(found->second, nullptr));
    }

    void add(UpdateSlot& slot) {
        const Variable gradient = slot.param.grad_variable();
        if (!open_.slots.empty() && (open_.types[0].dtype != gradient.dtype() ||
                                     &open_.slots[0]->param.device() != &slot.param.device()))
            close();
        open_.slots.push_back(&slot);
        open_.types.push_back(gradient.type());
        open_bytes_ += bytes_of(gradient);
        if (open_bytes_ >= *options_.bucket_bytes) close();
    }

    void close() {
        open_bytes_ = 0;
        if (open_.slots.empty()) return;
        std::vector<Variable> gradients;
        uint64_t label = 0;
        for (const UpdateSlot* slot : open_.slots) {
            gradients.push_back(slot->param.grad_variable());
            label = mix(label, slot->path);
        }
        auto no_graph = no_backprop_mode();
        Dtype dtype = options_.allreduce_grad_dtype.value_or(open_.types[0].dtype);
        open_.ticket = parallel::start_bucket(*communicator_, gradients, dtype, int64_t(label));
        buckets_.push_back(std::exchange(open_, {}));
    }

    void receive(const Bucket& bucket) {
        Variables means = parallel::wait_bucket(*communicator_, bucket.ticket, bucket.types);
        for (size_t i = 0; i < means.size(); ++i)
            bucket.slots[i]->param.set_grad_variable(means[i]);
    }

    /// Replaces the gradients by those of the previous iteration, while these are being sent. False
    /// when there are none.
    bool receive_previous(std::vector<Bucket> now) {
        auto same = [](const Bucket& a, const Bucket& b) {
            return a.slots == b.slots && a.types == b.types;
        };
        bool fits = std::equal(now.begin(), now.end(), previous_.begin(), previous_.end(), same);
        if (!fits) {
            RecorderScope paused(nullptr);
            for (const Bucket& bucket : previous_)
                parallel::wait_bucket(*communicator_, bucket.ticket, bucket.types);
            previous_.clear();
            tickets_.clear();
            for (const Bucket& bucket : now) {
                tickets_.emplace_back(
                    Array::scalar<int64_t>(0).to(bucket.slots[0]->param.device()));
                previous_.push_back({bucket.slots, bucket.types, tickets_.back()});
            }
        }
        for (size_t i = 0; i < now.size(); ++i) {
            receive(previous_[i]);
            assign(previous_[i].ticket, now[i].ticket);
        }
        return fits;
    }

    /// Which parameters are initialised, and their types.
    static uint64_t names_of(Optimizer& optimizer) {
        uint64_t names = 1;
        for (UpdateSlot& slot : optimizer.slots())
            if (slot.param.array().defined())
                names = mix(names, slot.path + to_string(slot.param.type()));
        return names;
    }

    /// True when all ranks have equal parameters; otherwise makes them equal.
    bool parameters_equal(Optimizer& optimizer) {
        const uint64_t names = names_of(optimizer);
        if (names == known_names_) return true;
        known_names_ = names;
        uint64_t content = 1;
        RecorderScope paused(nullptr);
        for (UpdateSlot& slot : optimizer.slots()) {
            if (!slot.param.array().defined()) continue;
            Array data = slot.param.array().to(cpu_device()).as_contiguous();
            content = mix(content, data.elements(), size_t(bytes_of(slot.param)));
        }
        std::vector<Array> all =
            communicator_->allgather(Array::from<int64_t>({int64_t(names), int64_t(content)}));
        bool equal = true;
        for (const Array& each : all) {
            const int64_t *theirs = each.elements<int64_t>(), *root = all[0].elements<int64_t>();
            if (theirs[0] != root[0])
                fail<CommunicationError>(
                    "multi-node optimizer: the ranks' models have different parameters or shapes");
            equal = equal && theirs[1] == root[1];
        }
        if (!equal)
            for (UpdateSlot& slot : optimizer.slots())
                if (slot.param.array().defined())
                    slot.param.set_array(
                        communicator_->bcast(slot.param.array()).to(slot.param.device()));
        return equal;
    }

    std::shared_ptr<Communicator> communicator_;
    MultiNodeOptimizerOptions options_;
    std::unordered_map<const VariableBody*, UpdateSlot*> slot_of_;  ///< Null: on its way already.
    std::vector<Bucket> buckets_;
    Bucket open_;
    int64_t open_bytes_ = 0;
    std::vector<Bucket> previous_;  ///< Double buffering: their tickets are states.
    std::vector<State> tickets_;
    uint64_t known_names_ = 0;
};

}  // namespace

Optimizer& create_multi_node_optimizer(Optimizer& optimizer,
                                       std::shared_ptr<Communicator> communicator,
                                       const MultiNodeOptimizerOptions& options) {
    if (options.allreduce_grad_dtype && !is_float(*options.allreduce_grad_dtype))
        fail<ValueError>("create_multi_node_optimizer: gradients are sent as floats, not as {}",
                         name_of(*options.allreduce_grad_dtype));
    optimizer.set_exchange(std::make_shared<BucketExchange>(std::move(communicator), options));
    return optimizer;
}

void bcast_data(Communicator& communicator, Link& model, int root) {
    RecorderScope paused(nullptr);
    for (Parameter* param : model.params(false))
        param->set_array(communicator.bcast(param->array(), root).to(param->device()));
}

void multi_node_mean_grad(Communicator& communicator, Link& model, bool zero_fill) {
    auto no_graph = no_backprop_mode();
    for (Parameter* param : model.params(false)) {
        Variable gradient = param->grad_variable();
        if (!gradient.defined()) {
            if (!zero_fill) continue;
            const DeviceScope beside(param->device());
            gradient = fill(param->type(), 0);
        }
        param->set_grad_variable(parallel::allreduce(communicator, gradient, Reduction::mean));
    }
}

}  // namespace catena
