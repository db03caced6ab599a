#include "frontend/parallel/optimizer/bucket_exchange.h"

#include <algorithm>

#include "frontend/optimizer/parts.h"
#include "frontend/parallel/agreement.h"
#include "frontend/parallel/multi_node_snapshot.h"
#include "frontend/parallel/optimizer/common_state.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/held_memory.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/communication/message.h"
#include "runtime/ops/communication/parts.h"

namespace catena {
namespace {

constexpr const char* needs =
    "a multi-node optimizer needs graphs with the same messages on all ranks (take data that need "
    "no gradient at their root as "
    "Variable(y.array(), false) elsewhere), gradients of the same parameters, changed after "
    "optimizer.backward() on all ranks or none, "
    "and for send() and recv() in the graph a communicator of their own, from split(0, rank), or "
    "overlap = false";

constexpr int64_t usual_bucket_bytes = 1 << 20;

int64_t bytes_of(const Variable& x) { return x.size() * int64_t(size_of(x.dtype())); }

}  // namespace

BucketExchange::BucketExchange(std::shared_ptr<Communicator> communicator,
                               const MultiNodeOptimizerOptions& options)
    : communicator_(given(std::move(communicator), "create_multi_node_optimizer")),
      options_(options) {
    const std::string &dtype = communicator_->get_config("allreduce_grad_dtype"),
                      &bytes = communicator_->get_config("bucket_bytes");
    if (!options_.allreduce_grad_dtype && !dtype.empty())
        options_.allreduce_grad_dtype = parse_dtype(dtype);
    if (!options_.bucket_bytes)
        options_.bucket_bytes = bytes.empty() ? usual_bucket_bytes : std::stoll(bytes);
}

void BucketExchange::backward(Optimizer& optimizer, const Variable& loss,
                              const BackwardOptions& options) {
    if (!options_.overlap) return loss.backward(options);
    with_note(needs, [&] {
        begin(optimizer);
        GradientListenerScope listening(*this);
        loss.backward(options);
    });
}

GradientExchange::Outcome BucketExchange::finish(Optimizer& optimizer) {
    return with_note(needs, [&] { return exchanged(optimizer); });
}

GradientExchange::Outcome BucketExchange::exchanged(Optimizer& optimizer) {
    if (has_changed()) abandon();
    if (waiting_.empty()) begin(optimizer);
    reopen();
    for (UpdateSlot& slot : optimizer.slots()) add_rest(slot);
    close();
    if (buckets_.empty()) send({}, Dtype::float32);
    std::vector<Bucket> buckets = take_buckets();
    is_again_ = false;
    if (!make_equal(optimizer)) {
        drop(buckets);
        return Outcome::dropped;
    }
    if (options_.double_buffering) return receive_previous(std::move(buckets));
    for (const Bucket& bucket : buckets) receive(bucket);
    is_to_verify_ = std::exchange(is_unverified_, false);
    return Outcome::replaced;
}

/// Compares the parameters of all ranks after the first update of equal parameters by equal
/// gradients: what else an update depends on, such as hooks, cannot be listed, but all of it shows
/// in the parameters. In eager code: every rank comes here.
void BucketExchange::verify(Optimizer& optimizer) {
    is_to_verify_ = false;
    const std::vector<std::string> checksums = checksums_of(optimizer);
    uint64_t sum = 1;
    for (const std::string& line : checksums) sum = mix(sum, line);
    const std::vector<Array> all = communicator_->allgather(Array::scalar(int64_t(sum)));
    if (std::ranges::any_of(
            all, [&](const Array& each) { return each.item<int64_t>() != all[0].item<int64_t>(); }))
        agree(*communicator_,
              "multi-node optimizer: the first update made parameters differ (by hooks, settings "
              "or processors that differ)",
              checksums);
}

void BucketExchange::restart() {
    const RecorderScope paused(nullptr);
    abandon();
    is_again_ = false;
    drop_previous();
    known_model_ = 0;
}

//---- sending

void BucketExchange::begin(Optimizer& optimizer) {
    abandon();
    optimizer_ = &optimizer;
    agree_on_model(optimizer);
    if (is_to_verify_) verify(optimizer);
    for (UpdateSlot& slot : optimizer.slots())
        if (slot.param.array().defined() && *slot.enabled) waiting_[slot.param.body()] = &slot;
}

/// A gradient to which a pointer exists may change unseen, and is sent by the update.
void BucketExchange::complete(const Ref<VariableBody>& leaf) {
    const auto found = waiting_.find(leaf.get());
    if (found == waiting_.end() || !found->second) return;
    const Variable gradient = found->second->param.grad_variable();
    if (!gradient.defined() || may_be_written(*gradient.array().storage())) return;
    add(*std::exchange(found->second, nullptr));
    if (open_bytes_ >= *options_.bucket_bytes) close();
}

/// Gradients that were not sent yet may have been changed or cleared since.
void BucketExchange::reopen() {
    for (UpdateSlot* slot : std::exchange(open_, {})) waiting_[slot->param.body()] = slot;
    open_bytes_ = 0;
}

void BucketExchange::add_rest(UpdateSlot& slot) {
    const auto found = waiting_.find(slot.param.body());
    if (found == waiting_.end() || !found->second) return;
    if (!slot.param.grad_variable().defined()) {
        if (!options_.zero_fill) return;
        const DeviceScope beside(slot.param.device());
        slot.param.set_grad_variable(fill(slot.param.type(), 0));
    }
    add(*std::exchange(found->second, nullptr));
    if (open_bytes_ >= *options_.bucket_bytes) close();
}

void BucketExchange::add(UpdateSlot& slot) {
    if (!open_.empty() && (open_[0]->param.dtype() != slot.param.dtype() ||
                           &open_[0]->param.device() != &slot.param.device() ||
                           means_for(*open_[0]) != means_for(slot)))
        close();
    open_.push_back(&slot);
    open_bytes_ += bytes_of(slot.param);
}

void BucketExchange::close() {
    open_bytes_ = 0;
    if (!open_.empty()) send(std::exchange(open_, {}), open_[0]->param.dtype());
}

void BucketExchange::send(std::vector<UpdateSlot*> slots, Dtype dtype) {
    Variables gradients;
    std::vector<std::string> paths;
    for (UpdateSlot* slot : slots) {
        gradients.push_back(slot->param.grad_variable());
        paths.push_back(slot->path);
        sent_.push_back({slot, gradients.back().array()});
        // What is sent is derived from the present elements: zero again once they may change.
        sent_.back().gradient.storage()->derivations.store(1, std::memory_order_relaxed);
    }
    const TransferPlace place = !buckets_.empty() ? TransferPlace::later
                                : is_again_       ? TransferPlace::first_again
                                                  : TransferPlace::first;
    const Means means = slots.empty() ? Means::whole : means_for(*slots[0]);
    Transfer transfer = start_transfer(*communicator_, gradients, paths,
                                       options_.allreduce_grad_dtype.value_or(dtype), place, means);
    buckets_.push_back({std::move(slots), std::move(transfer), means});
}

/// A rule that is not elementwise is given whole parameters, which every rank updates.
Means BucketExchange::means_for(const UpdateSlot& slot) const {
    return is_sharded() && optimizer_->rule_of(slot).is_elementwise() ? Means::parts : Means::whole;
}

/// Whether gradients have changed since they were sent.
bool BucketExchange::has_changed() const {
    return std::ranges::any_of(sent_, [](const Sent& sent) {
        const Variable now = sent.slot->param.grad_variable();
        const Storage& memory = *sent.gradient.storage();
        return !now.defined() || !(now.array() == sent.gradient) || memory.derivations == 0 ||
               may_be_written(memory);
    });
}

std::vector<BucketExchange::Bucket> BucketExchange::take_buckets() {
    waiting_.clear();
    open_.clear();
    open_bytes_ = 0;
    sent_.clear();
    return std::exchange(buckets_, {});
}

void BucketExchange::drop(const std::vector<Bucket>& buckets) {
    for (const Bucket& bucket : buckets) wait_transfer(*communicator_, bucket.transfer);
}

/// What was sent belongs to a backward that no update used, or to gradients that are others now.
void BucketExchange::abandon() {
    const std::vector<Bucket> buckets = take_buckets();
    is_again_ = is_again_ || !buckets.empty();
    drop(buckets);
}

//---- receiving

void BucketExchange::receive(const Bucket& bucket) {
    const Variables means = wait_transfer(*communicator_, bucket.transfer);
    for (size_t i = 0; i < bucket.slots.size(); ++i) take(*bucket.slots[i], bucket.means, means[i]);
}

void BucketExchange::take(UpdateSlot& slot, Means means, const Variable& mean) {
    if (means == Means::parts) return take_part(slot, own_part(slot.param), mean);
    check_is_whole(slot);
    slot.param.set_grad_variable(mean);
}

/// Of a mean from a file, which has it whole, what this rank updates with.
Variable BucketExchange::own_of(const Array& mean, const UpdateSlot& slot, Means means) const {
    const Variable whole(mean.to(slot.param.device()), false);
    return means == Means::parts ? parallel::cut(whole, own_part(whole)) : whole;
}

RankPart BucketExchange::own_part(const Variable& whole) const {
    return part_of_rank(whole.size(), communicator_->rank(), communicator_->size());
}

/// Replaces the gradients by those of the previous iteration, if there are any, while these are
/// being sent.
GradientExchange::Outcome BucketExchange::receive_previous(std::vector<Bucket> now) {
    const bool are_loaded = are_like_loaded(now), fits = are_loaded || are_like_previous(now);
    const std::map<std::string, Array> loaded =
        are_loaded ? loaded_ : std::map<std::string, Array>();
    if (are_loaded || !fits) begin_previous(now);
    for (size_t i = 0; i < now.size(); ++i) {
        const Variables means = wait_transfer(*communicator_, previous_[i].transfer);
        assign(previous_[i].transfer.ticket, now[i].transfer.ticket);
        for (size_t k = 0; k < means.size(); ++k) {
            UpdateSlot& slot = *previous_[i].slots[k];
            take(slot, previous_[i].means,
                 are_loaded ? own_of(loaded.at(slot.path), slot, previous_[i].means) : means[k]);
        }
    }
    if (!are_loaded) return fits ? Outcome::replaced : Outcome::kept;
    if (Recorder* recorder = current_recorder()) recorder->passing();
    return Outcome::replaced;
}

bool BucketExchange::are_like_previous(const std::vector<Bucket>& now) const {
    return std::ranges::equal(now, previous_, [](const Bucket& a, const Bucket& b) {
        return a.slots == b.slots && a.transfer.types == b.transfer.types;
    });
}

bool BucketExchange::are_like_loaded(const std::vector<Bucket>& now) const {
    size_t count = 0;
    for (const Bucket& bucket : now)
        for (size_t i = 0; i < bucket.slots.size(); ++i, ++count) {
            const auto found = loaded_.find(bucket.slots[i]->path);
            if (found == loaded_.end() || !(found->second.type() == bucket.slots[i]->param.type()))
                return false;
        }
    return count > 0 && count == loaded_.size();
}

/// Begins the sums of the previous step's gradients, with tickets of which zeros come, so that an
/// update takes the same steps the first time.
void BucketExchange::begin_previous(const std::vector<Bucket>& like) {
    const RecorderScope paused(nullptr);
    drop_previous();
    for (const Bucket& bucket : like) {
        tickets_.emplace_back(Array::scalar<int64_t>(0).to(bucket.transfer.ticket.device()));
        previous_.push_back({bucket.slots, {bucket.transfer.types, tickets_.back()}, bucket.means});
    }
}

void BucketExchange::drop_previous() {
    drop(std::exchange(previous_, {}));
    tickets_.clear();
    loaded_.clear();
}

/// Takes what has been sent. Of parts, which the other ranks take at the same time, the whole.
void BucketExchange::load_previous() {
    const RecorderScope paused(nullptr);
    for (const Bucket& bucket : std::exchange(previous_, {})) {
        Variables means = wait_transfer(*communicator_, bucket.transfer);
        if (bucket.means == Means::parts) {
            std::vector<PartToGather> parts;
            for (size_t i = 0; i < means.size(); ++i)
                parts.push_back({&bucket.slots[i]->path, means[i], bucket.slots[i]->param.type()});
            means = gather(parts);
        }
        for (size_t i = 0; i < bucket.slots.size(); ++i)
            loaded_[bucket.slots[i]->path] = means[i].array();
    }
    tickets_.clear();
}

void BucketExchange::serialize(const Serializer& s) {
    if (!options_.double_buffering) return;
    std::map<std::string, Array> means;
    if (!s.loading()) {
        load_previous();
        means = loaded_;
    }
    std::string paths;
    for (const auto& [path, mean] : means) paths += path + "\n";
    if (s.loading() && s.has("previous")) paths = s.read_text("previous");
    if (!s.loading()) s.write("previous", std::string_view(paths));
    for (size_t at = 0; at < paths.size(); at = paths.find('\n', at) + 1) {
        const std::string path = paths.substr(at, paths.find('\n', at) - at);
        if (s.loading())
            means[path] = s[path.substr(1)].read("previous_mean");
        else
            s[path.substr(1)].write("previous_mean", means[path]);
    }
    if (!s.loading()) return;
    s.later([this, means] {
        const RecorderScope paused(nullptr);
        drop_previous();
        loaded_ = means;
    });
}

//---- parts

Variables BucketExchange::gather(std::span<const PartToGather> parts) {
    return with_note(
        "a sharded optimizer has its parts gathered in update(), and when it is saved: save it on "
        "all ranks at the same time, or on one after gather_moments(optimizer) on all",
        [&] { return catena::gather_parts(*communicator_, parts, *options_.bucket_bytes); });
}

bool BucketExchange::has_parts() const {
    return std::ranges::any_of(previous_,
                               [](const Bucket& bucket) { return bucket.means == Means::parts; });
}

void BucketExchange::gather_parts() {
    if (has_parts()) load_previous();
}

Variable BucketExchange::everywhere(const Variable& truth) {
    const auto no_graph = no_backprop_mode();
    return parallel::allreduce(*communicator_, cast(truth, Dtype::int64)) == communicator_->size();
}

//---- equal models

/// Compares the models of all ranks before the first transfer, and again when a parameter was
/// initialised or got another type.
void BucketExchange::agree_on_model(Optimizer& optimizer) {
    Recorder* recorder = current_recorder();
    if (recorder && recorder->shape_only()) return;
    const uint64_t model = model_of(optimizer);
    if (model == known_model_) return;
    // A rank that waits for such a message does not come to the agreement. Otherwise what was
    // recorded stays one program, as in later calls: a resumed training has the same bits.
    if (recorder && parallel::are_messages_pending()) recorder->settle();
    const RecorderScope paused(nullptr);
    agree(*communicator_, "multi-node optimizer", description_of(optimizer, options_));
    known_model_ = model;
    may_differ_ = true;
    is_unverified_ = is_to_verify_ = false;
}

/// True when all ranks have equal parameters and optimizers; otherwise gives all those of rank 0.
bool BucketExchange::make_equal(Optimizer& optimizer) {
    if (!may_differ_) return true;
    const int64_t is_recorded = current_recorder() != nullptr;
    const RecorderScope paused(nullptr);
    const std::vector<int64_t> own{int64_t(content_of(optimizer)), is_recorded};
    std::vector<std::vector<int64_t>> all;
    for (const Array& each : communicator_->allgather(Array::from(own, {2})))
        all.push_back(each.to_vector<int64_t>());
    may_differ_ = false;
    // The code of a region may be skipped by one rank and not by another.
    is_unverified_ =
        all.size() > 1 && std::ranges::none_of(all, [](const auto& each) { return each[1] != 0; });
    if (std::ranges::all_of(all, [&](const auto& each) { return each[0] == all[0][0]; }))
        return true;
    bcast_state(*communicator_, optimizer.target(), &optimizer);
    return false;
}

}  // namespace catena
