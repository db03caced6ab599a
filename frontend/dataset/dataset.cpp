#include "frontend/dataset/dataset.h"

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// The rows of an array, as views.
class RowsDataset final : public DatasetMixin {
public:
    explicit RowsDataset(Array array) : array_(std::move(array)) {
        if (!array_.defined() || array_.rank() == 0)
            fail<ValueError>(
                "Dataset: the array is undefined or has no axis; give one whose rows are the "
                "examples");
        for (int axis = 1; axis < array_.rank(); ++axis) {
            shape_.push_back(array_.dim(axis));
            strides_.push_back(array_.strides()[axis]);
        }
    }
    int64_t size() const override { return array_.dim(0); }
    Example get_example(int64_t i) const override {
        return array_.view(shape_, strides_, i * array_.strides()[0]);
    }

private:
    Array array_;
    Shape shape_;
    Strides strides_;
};

class ListDataset final : public DatasetMixin {
public:
    explicit ListDataset(std::vector<Example> examples) : examples_(std::move(examples)) {}
    int64_t size() const override { return int64_t(examples_.size()); }
    Example get_example(int64_t i) const override { return examples_[size_t(i)]; }

private:
    std::vector<Example> examples_;
};

}  // namespace

std::string DatasetMixin::described(int64_t i) const { return "example " + std::to_string(i); }

Dataset::Dataset(std::shared_ptr<const DatasetMixin> dataset) : dataset_(std::move(dataset)) {
    if (!dataset_)
        fail<ValueError>("Dataset: the pointer to the dataset is null; give one to a DatasetMixin");
}

void Dataset::moved_from() {
    fail<ValueError>(
        "Dataset: its examples were moved to another Dataset; copy it, which is cheap");
}

Dataset::Dataset(Array rows) try : dataset_(std::make_shared<RowsDataset>(std::move(rows))) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Dataset");
}
Dataset::Dataset(std::vector<Example> examples) try
    : dataset_(std::make_shared<ListDataset>(std::move(examples))) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Dataset");
}

Example Dataset::operator[](int64_t i) const try {
    int64_t n = size();
    if (i < -n || i >= n) fail<ValueError>("Dataset: there is no example {}; there are {}", i, n);
    return get().get_example(i < 0 ? i + n : i);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Dataset");
}

}  // namespace catena
