#include "frontend/parallel/multi_node_iterator.h"

#include <cstring>
#include <exception>

#include "frontend/dataset/concat_examples.h"
#include "frontend/parallel/agreement.h"
#include "frontend/serializer/memory_archive.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// A batch as bytes: each value of all examples as one array, and how an example is made of them.
std::string packed(const std::vector<Example>& examples) {
    Batch batch = concat_examples(examples);
    MemoryArchive archive;
    archive.write_text("kind", batch.is_dict() ? "dict" : batch.is_tuple() ? "tuple" : "one");
    archive.write("count", Array::scalar(int64_t(examples.size())));  // They may have no values.
    for (size_t i = 0; i < batch.size(); ++i) {
        archive.write(std::to_string(i), batch[i].array());
        if (batch.is_dict()) archive.write_text("key" + std::to_string(i), batch.keys()[i]);
    }
    return archive.bytes();
}

std::vector<Example> unpacked(const std::string& bytes) {
    MemoryArchive archive(bytes, "a batch of the multi-node iterator's master");
    std::vector<Array> columns;
    std::vector<std::string> keys;
    for (size_t i = 0; archive.contains(std::to_string(i)); ++i) {
        columns.push_back(archive.read(std::to_string(i)));
        if (std::string key = "key" + std::to_string(i); archive.contains(key))
            keys.push_back(archive.read_text(key));
    }
    const std::string kind = archive.read_text("kind");
    std::vector<Example> examples;
    const int64_t count = archive.read("count").item<int64_t>();
    for (int64_t row = 0; row < count; ++row) {
        std::vector<Array> values;
        for (const Array& column : columns) {
            Shape shape;
            for (int axis = 1; axis < column.rank(); ++axis) shape.push_back(column.dim(axis));
            values.push_back(
                column.view(shape, contiguous_strides(shape), row * element_count(shape)));
        }
        if (kind == "dict")
            examples.emplace_back(keys, std::move(values));
        else if (kind == "tuple")
            examples.emplace_back(std::move(values));
        else
            examples.emplace_back(std::move(values[0]));
    }
    return examples;
}

}  // namespace

MultiNodeIterator::MultiNodeIterator(std::shared_ptr<Iterator> actual,
                                     std::shared_ptr<Communicator> communicator, int rank_master)
    : actual_(std::move(actual)),
      communicator_(given(std::move(communicator), "create_multi_node_iterator")),
      master_(rank_master) {
    if (is_master() && !actual_)
        fail<ValueError>("create_multi_node_iterator: the master (rank {}) gives no iterator",
                         master_);
    mirror();
}

void MultiNodeIterator::look_at_actual() {
    state_ = {actual_->batch_size(),
              actual_->repeat(),
              actual_->epoch(),
              actual_->is_new_epoch(),
              actual_->current_position(),
              actual_->examples_per_epoch(),
              actual_->epoch_detail(),
              actual_->previous_epoch_detail().value_or(-1)};
}

void MultiNodeIterator::mirror() {
    if (is_master()) look_at_actual();
    const std::string bytes = communicator_->bcast_bytes(
        {reinterpret_cast<const char*>(&state_), sizeof state_}, master_);
    if (bytes.size() != sizeof state_)
        fail<CommunicationError>(
            "multi-node iterator: rank {} sends {} bytes as its iterator's state, which has {}; "
            "all ranks must make the "
            "same calls in the same order",
            master_, bytes.size(), sizeof state_);
    std::memcpy(&state_, bytes.data(), sizeof state_);
}

std::optional<std::vector<Example>> MultiNodeIterator::next() {
    constexpr char given = '=', failed = '!';
    std::optional<std::vector<Example>> examples;
    std::string message;  // Empty: there is no batch any more.
    std::exception_ptr error;
    if (is_master()) {
        try {
            examples = actual_->next();
            if (examples) message = given + packed(*examples);
        } catch (...) {
            error = std::current_exception();
            message = failed + message_of(error);
        }
    }
    message = communicator_->bcast_bytes(message, master_);
    if (error) std::rethrow_exception(error);
    if (message.starts_with(failed))
        fail<CommunicationError>("multi-node iterator: the master's iterator fails: {}",
                                 message.substr(1));
    mirror();
    if (message.empty()) return std::nullopt;
    return is_master() ? std::move(examples) : unpacked(message.substr(1));
}

void MultiNodeIterator::reset() {
    on_root(
        *communicator_, "multi-node iterator: the master's iterator cannot be reset",
        [&] { actual_->reset(); }, master_);
    mirror();
}

void MultiNodeIterator::finalize() {
    if (actual_) actual_->finalize();
}

std::optional<double> MultiNodeIterator::previous_epoch_detail() const {
    if (state_.previous_epoch_detail < 0) return std::nullopt;
    return state_.previous_epoch_detail;
}

void MultiNodeIterator::serialize(const Serializer& s) {
    if (is_master()) {
        actual_->serialize(s);
        if (s.loading()) return s.later([this] { look_at_actual(); });
    }
    const Serializer seen = s["seen"];
    seen("epoch", state_.epoch);
    seen("is_new_epoch", state_.is_new_epoch);
    seen("current_position", state_.current_position);
    seen("epoch_detail", state_.epoch_detail);
    seen("previous_epoch_detail", state_.previous_epoch_detail);
}

Iterator& create_synchronized_iterator(Iterator& actual, Communicator& communicator) {
    auto state = [&](const Serializer& s) { actual.serialize(s); };
    MemoryArchive archive;
    if (communicator.rank() == 0) save_to(archive, state);
    std::string bytes = communicator.bcast_bytes(communicator.rank() == 0 ? archive.bytes() : "");
    if (communicator.rank() != 0)
        load_from(MemoryArchive(bytes, "the iterator of rank 0"), state, {});
    return actual;
}

}  // namespace catena
