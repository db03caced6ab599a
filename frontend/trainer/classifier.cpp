#include "frontend/trainer/classifier.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// The index of the labels among the values.
size_t label_index(const Batch& batch, const LabelKey& key) {
    const std::string* name = std::get_if<std::string>(&key);
    if (batch.is_dict()) {
        const std::string keys = fmt::format("{}", fmt::join(batch.keys(), ", "));
        if (!name)
            fail<ValueError>(
                "Classifier: the batch is a dict of {}; give the name of its labels as label_key, "
                "not the position {}",
                keys, std::get<int>(key));
        const auto found = std::find(batch.keys().begin(), batch.keys().end(), *name);
        if (found == batch.keys().end())
            fail<ValueError>(
                "Classifier: the labels should be '{}', which the batch does not have; it has {}",
                *name, keys);
        return size_t(found - batch.keys().begin());
    }
    const int count = int(batch.size());
    if (name)
        fail<ValueError>(
            "Classifier: the labels are '{}', but the batch has {} values without names; label_key "
            "is a position then, -1 "
            "for the last",
            *name, count);
    const int position = std::get<int>(key);
    if (position < -count || position >= count)
        fail<ValueError>("Classifier: the labels are value {} of a batch of {}", position, count);
    return size_t(position < 0 ? position + count : position);
}

}  // namespace

bool labels_are_last(const LabelKey& key) { return key == LabelKey(-1); }

LabelledBatch take_labels(const Batch& batch, const LabelKey& key) {
    const size_t at = label_index(batch, key);
    std::vector<Variable> values = batch.values();
    const Variable labels = values[at];
    values.erase(values.begin() + std::ptrdiff_t(at));
    if (!batch.is_dict()) return {Batch(std::move(values)), labels};
    std::vector<std::string> keys = batch.keys();
    keys.erase(keys.begin() + std::ptrdiff_t(at));
    return {Batch(std::move(keys), std::move(values)), labels};
}

LabelKey last_value() { return -1; }

void report_scores(const Link& model, const Variable& loss, const Variable* accuracy) {
    report({{"loss", loss}}, model);
    if (accuracy) report({{"accuracy", *accuracy}}, model);
}

}  // namespace catena
