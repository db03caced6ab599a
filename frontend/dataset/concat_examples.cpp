#include "frontend/dataset/concat_examples.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/array/device.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/recorder.h"

namespace catena {
namespace {

struct Column {
    std::span<const Example> examples;
    size_t value;
    const Array& operator[](size_t i) const { return examples[i].values()[value]; }
};

/// The shape that holds every example of the column, without the batch axis.
Shape common_shape(const Column& column, bool padded) {
    Shape shape = column[0].shape();
    for (size_t i = 1; i < column.examples.size(); ++i) {
        const Array& x = column[i];
        if (x.dtype() != column[0].dtype())
            fail<DtypeError>(
                "concat_examples: value {} is {} in the first example, {} in number {}; dtypes "
                "must "
                "be equal",
                column.value, name_of(column[0].dtype()), name_of(x.dtype()), i + 1);
        if (x.shape() == shape) continue;
        if (!padded || x.rank() != shape.rank())
            fail<ShapeError>(
                "concat_examples: value {} has shape {} in the first example, {} in number {}; "
                "shapes "
                "must be equal, or have equal ranks with the option padding",
                column.value, to_string(column[0].shape()), to_string(x.shape()), i + 1);
        for (int axis = 0; axis < shape.rank(); ++axis)
            shape[axis] = std::max(shape[axis], x.dim(axis));
    }
    return shape;
}

Array concatenated(const Column& column, std::optional<double> padding) {
    Shape shape = common_shape(column, padding.has_value()), batch_shape;
    if (shape.rank() == max_rank)
        fail<ShapeError>("concat_examples: examples of rank {} leave no axis for the batch",
                         max_rank);
    batch_shape.push_back(int64_t(column.examples.size()));
    for (int64_t d : shape) batch_shape.push_back(d);
    Type type{column[0].dtype(), batch_shape};
    Array batch = padding ? Array::full(type, *padding) : Array::empty(type);
    const size_t bytes = byte_count({type.dtype, shape});
    for (size_t i = 0; i < column.examples.size(); ++i) {
        Array x = column[i].to(cpu_device());
        if (x.shape() == shape && x.contiguous()) {
            if (bytes > 0)
                std::memcpy(static_cast<char*>(batch.to_fill()) + i * bytes, x.elements(), bytes);
            continue;
        }
        Strides strides;
        for (int axis = 1; axis < batch.rank(); ++axis) strides.push_back(batch.strides()[axis]);
        copy_elements(x, batch.view(x.shape(), strides, int64_t(i) * element_count(shape)));
    }
    return batch;
}

}  // namespace

Batch concat_examples(std::span<const Example> examples, const ConcatOptions& options) try {
    if (examples.empty())
        fail<ValueError>("concat_examples: the batch is empty; give at least one example");
    const Example& first = examples[0];
    for (size_t i = 1; i < examples.size(); ++i)
        if (!examples[i].is_like(first))
            fail<ValueError>(
                "concat_examples: example {} is a {}, the first a {}; all examples must have the "
                "same form",
                i + 1, to_string(examples[i]), to_string(first));
    if (options.padding.size() > 1 && options.padding.size() != first.size())
        fail<ValueError>(
            "concat_examples: {} paddings for {} values; give one for all, or one for each",
            options.padding.size(), first.size());
    RecorderScope paused(nullptr);
    std::vector<Variable> values;
    for (size_t k = 0; k < first.size(); ++k) {
        std::optional<double> padding;
        if (!options.padding.empty()) padding = options.padding[options.padding.size() > 1 ? k : 0];
        Device& device = options.device ? *options.device : first[k].device();
        DeviceScope host(cpu_device());
        values.emplace_back(concatenated({examples, k}, padding).to(device), false);
    }
    if (first.is_dict()) return Batch(first.keys(), std::move(values));
    if (first.is_tuple()) return Batch(std::move(values));
    return Batch(std::move(values[0]));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("concat_examples");
}

}  // namespace catena
