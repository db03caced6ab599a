#include "frontend/onnx/importers/scattering.h"

#include <algorithm>
#include <functional>

#include "frontend/onnx/importers/shared.h"
#include "runtime/ops/array/indexing/scatter_reduce.h"
#include "runtime/ops/array/searching.h"

namespace catena::onnx {
namespace {

/// One place that the model itself names is a view: the query, key or value in a product of all
/// three.
Variables gathered(const NodeCall& n) {
    const int axis = n.axis("axis", 0, n[0].rank());
    if (!n.is_known(1) || n[1].size() != 1) return {take(n[0], n[1], axis)};
    const int64_t size = n[0].shape()[axis], given = n.value(1, any_number),
                  place = given < 0 ? given + size : given;
    if (place < 0 || place >= size) return {take(n[0], n[1], axis)};  // Which has the message.
    Shape shape;
    for (int i = 0; i < n[0].rank(); ++i) {
        if (i != axis)
            shape.push_back(n[0].shape()[i]);
        else
            for (int64_t s : n[1].shape()) shape.push_back(s);
    }
    return {reshape(slice_axis(n[0], axis, place, 1), shape)};
}

/// The elements that indices name; sizes other than the axis's may be smaller than x's.
Variables elements_gathered(const NodeCall& n) {
    const int axis = n.axis("axis", 0, n[0].rank());
    Shape shape = n[1].shape();
    if (shape.rank() != n[0].rank()) n.wrong("indices and data differ in rank");
    shape[axis] = n[0].shape()[axis];
    const Dims begin = Dims::filled(shape.rank(), 0), step = Dims::filled(shape.rank(), 1);
    return {take_along_axis(strided_slice(n[0], begin, step, shape), n[1], axis)};
}

/// The rows of an array of places as offsets into the leading axes of `shape`, which they count.
Variable offsets_of(const NodeCall& n, const Variable& places, const Shape& shape, int first) {
    const int64_t depth = places.shape().back();
    Variable offset;
    for (int64_t i = 0; i < depth; ++i) {
        const int64_t size = shape[first + int(i)];
        Variable place = cast(slice_axis(places, places.rank() - 1, i, 1), Dtype::int64);
        place = where(place < 0, place + size, place);
        offset = offset.defined() ? offset * size + place : place;
    }
    Shape rest = places.shape();
    rest.erase(rest.rank() - 1);
    return offset.defined() ? reshape(offset, rest) : fill({Dtype::int64, rest}, 0);
}

Variables rows_gathered(const NodeCall& n) {
    const Shape &x = n[0].shape(), &places = n.ranked(1, 1).shape();
    const int batch = int(n.integer("batch_dims", 0, {0, places.rank() - 1}));
    if (batch > x.rank() || places.back() > x.rank() - batch || places.back() < 1)
        n.wrong(fmt::format("indices {} behind {} axes of batches do not name axes of data {}",
                            to_string(places), batch, to_string(x)));
    for (int i = 0; i < batch; ++i)
        if (x[i] != places[i])
            n.wrong(fmt::format("axes of batches of data {} and indices {} differ", to_string(x),
                                to_string(places)));
    const int depth = int(places.back());
    int64_t batches = 1, rows = 1, inner = 1;
    for (int i = 0; i < batch; ++i) batches *= x[i];
    for (int i = batch; i < batch + depth; ++i) rows *= x[i];
    Shape shape;
    for (int i = 0; i + 1 < places.rank(); ++i) shape.push_back(places[i]);
    for (int i = batch + depth; i < x.rank(); ++i) {
        inner *= x[i];
        shape.push_back(x[i]);
    }
    const int64_t count = n[1].size() / depth;  // Of all rows.
    Variable offset = offsets_of(n, n[1], x, batch);
    if (count > 0)
        offset = reshape(offset, {batches, count / batches}) +
                 reshape(arange(0, batches, rows), {batches, 1});
    return {reshape(
        take(reshape(n[0], {batches * rows, inner}), reshape(offset, {offset.size()}), 0), shape)};
}

/// Where updates go.
struct Places {
    std::vector<Index> slices;          ///< The slices of the data that are written to.
    Shape shape;                        ///< The shape of the numbers.
    int axis = 0;                       ///< The axis along which equal numbers are one place.
    std::function<Variable()> numbers;  ///< A function that gives the indices, as one number each.
    Dims sizes;                         ///< The sizes of the axes that indices name.
};

/// 1 where a number does not come again behind it on its line, else 0.
Variable last_of_equal(const Variable& numbers, int axis) {
    const int64_t others = numbers.shape()[axis] - 1;
    const Variable order = argsort(numbers, axis), sorted = take_along_axis(numbers, order, axis);
    const Variable differs =
        slice_axis(sorted, axis, 1, others) != slice_axis(sorted, axis, 0, others);
    Shape end = numbers.shape();
    end[axis] = 1;
    const Variable last = concat({cast(differs, Dtype::int32), fill({Dtype::int32, end}, 1)}, axis);
    return take_along_axis(last, argsort(order, axis), axis);
}

/// For each number on the host, the last place of an equal one.
std::vector<int32_t> last_of_equal(const std::vector<int64_t>& numbers, const Places& places) {
    const int64_t count = places.shape[places.axis], size = element_count(places.sizes);
    int64_t inner = 1;
    for (int i = places.axis + 1; i < places.shape.rank(); ++i) inner *= places.shape[i];
    std::vector<bool> met(size_t(int64_t(numbers.size()) / count * size));
    std::vector<int32_t> last(numbers.size(), 1);
    for (size_t k = numbers.size(); k-- > 0;) {
        const int64_t line = int64_t(k) / (count * inner) * inner + int64_t(k) % inner;
        const size_t place = size_t(line * size + numbers[k]);
        last[k] = !met[place];
        met[place] = true;
    }
    return last;
}

/// Indices of one axis after the other as one number.
std::vector<int64_t> numbers_of(const NodeCall& n, const Dims& sizes) {
    const std::vector<int64_t> indices = n.values(1, {});
    std::vector<int64_t> numbers;
    for (size_t k = 0; k < indices.size(); k += size_t(sizes.rank())) {
        int64_t number = 0;
        for (int i = 0; i < sizes.rank(); ++i) {
            const int64_t index = indices[k + size_t(i)], size = sizes[i];
            if (index < -size || index >= size)
                n.wrong(fmt::format("index {} of an axis of {}", index, size));
            number = number * size + (index < 0 ? index + size : index);
        }
        numbers.push_back(number);
    }
    return numbers;
}

/// 1 for each update behind which no other goes to its place; undefined if that is so of all.
/// Sorted where indices are computed.
Variable updates_that_stay(const NodeCall& n, const Places& places) {
    if (places.shape[places.axis] < 2 || n[1].size() == 0) return {};
    if (!n.is_known(1)) return last_of_equal(places.numbers(), places.axis);
    const std::vector<int32_t> last = last_of_equal(numbers_of(n, places.sizes), places);
    if (std::find(last.begin(), last.end(), 0) == last.end()) return {};
    return Variable(Array::from(last, places.shape), false);
}

/// x with updates of which no two go to one place, so that what is added into zeros is the update
/// itself.
Variable with_all(const Variable& x, const Variable& updates, const std::vector<Index>& slices) {
    const Variable zeros = fill({x.dtype(), x.shape()}, 0),
                   none = fill({Dtype::int32, x.shape()}, 0);
    const Variable hit = scatter_add(none, slices, fill({Dtype::int32, updates.shape()}, 1)) > 0;
    return where(hit, scatter_add(zeros, slices, updates), x);
}

/// x with the updates that stay, found by their numbers, which are counted from 1 and added into
/// zeros.
Variable with_those(const Variable& stay, const Variable& x, const Variable& updates,
                    const std::vector<Index>& slices) {
    const int named = int(slices.size());
    Shape front, wide, rows{stay.size()}, places;
    for (int i = 0; i < x.rank(); ++i) {
        (i < named ? front : rows).push_back(x.shape()[i]);
        wide.push_back(i < named ? x.shape()[i] : 1);
    }
    for (int i = 0; i < updates.rank() - (x.rank() - named); ++i)
        places.push_back(updates.shape()[i]);
    const Variable numbers = flatten(stay) * cast(arange(1, stay.size()), Dtype::int32);
    const Variable found =
        scatter_add(fill({Dtype::int32, front}, 0), slices, reshape(numbers, places));
    const Variable hit = found > 0;
    return where(reshape(hit, wide), take(reshape(updates, rows), where(hit, found - 1, 0), 0), x);
}

/// data with updates at the places. ONNX does not say what several updates of one place give
/// without a reduction, but PyTorch exports such models; as in ONNX Runtime, the last one stays.
Variables scattered(const NodeCall& n, const Places& places) {
    const std::string kind = n.choice("reduction", {"none", "add", "mul", "max", "min"});
    const Dtype dtype = n[0].dtype() == Dtype::bool_ ? Dtype::uint8 : n[0].dtype();
    const Variable x = cast(n[0], dtype), updates = cast(n[2], dtype);
    const Shape& shape = x.shape();
    if (!(get_item(x, places.slices).shape() == updates.shape()))
        n.wrong(fmt::format("updates {} do not fit data {} and indices {}",
                            to_string(updates.shape()), to_string(shape), to_string(n[1].shape())));
    if (kind == "add") return {cast(scatter_add(x, places.slices, updates), n[0].dtype())};
    if (kind == "none") {
        const Variable stay = updates_that_stay(n, places);
        const Variable y = stay.defined() ? with_those(stay, x, updates, places.slices)
                                          : with_all(x, updates, places.slices);
        return {cast(y, n[0].dtype())};
    }
    const Variable y = kind == "max"   ? scatter_maximum(x, places.slices, updates)
                       : kind == "min" ? scatter_minimum(x, places.slices, updates)
                                       : scatter_multiply(x, places.slices, updates);
    return {cast(y, n[0].dtype())};
}

Variables elements_scattered(const NodeCall& n) {
    const Shape &x = n[0].shape(), &shape = n[1].shape();
    const int axis = n.axis("axis", 0, x.rank());
    if (shape.rank() != x.rank()) n.wrong("indices and data differ in rank");
    const Variable indices = cast(n[1], Dtype::int64);
    Places places{.shape = shape, .axis = axis, .sizes = {x[axis]}};
    places.numbers = [&] { return where(indices < 0, indices + x[axis], indices); };
    for (int i = 0; i < x.rank(); ++i) {
        Shape line = Shape::filled(x.rank(), 1);
        line[i] = shape[i];
        places.slices.emplace_back(i == axis ? indices : reshape(arange(0, shape[i]), line));
    }
    return scattered(n, places);
}

Variables rows_scattered(const NodeCall& n) {
    const int rank = n[1].rank();
    if (rank == 0 || n[1].shape().back() > n[0].rank() || n[1].shape().back() < 1 ||
        n[2].rank() != rank - 1 + n[0].rank() - n[1].shape().back())
        n.wrong(fmt::format("indices {} do not name axes of data {}", to_string(n[1].shape()),
                            to_string(n[0].shape())));
    Shape rest = n[1].shape();
    rest.erase(rank - 1);
    Places places{.shape = {element_count(rest)}};
    places.numbers = [&] { return flatten(offsets_of(n, n[1], n[0].shape(), 0)); };
    for (int64_t k = 0; k < n[1].shape().back(); ++k) {
        places.sizes.push_back(n[0].shape()[int(k)]);
        places.slices.emplace_back(
            reshape(cast(slice_axis(n[1], rank - 1, k, 1), Dtype::int64), rest));
    }
    return scattered(n, places);
}

/// Values [off, on]; places outside of the classes are off.
Variables hot(const NodeCall& n) {
    const int64_t classes = n.value(1, positive);
    const int rank = n[0].rank(), axis = n.axis("axis", -1, rank + 1);
    if (n.ranked(2, 1, 1).size() != 2)
        n.wrong(fmt::format("input 2 has {} elements; expected are 2", n[2].size()));
    const Variable places = cast(n[0], Dtype::int64);
    Shape line = Shape::filled(rank + 1, 1);
    line[axis] = classes;
    const Variable on = expand_dims(where(places < 0, places + classes, places), axis) ==
                        reshape(arange(0, classes), line);
    return {where(on, slice_axis(n[2], 0, 1, 1), slice_axis(n[2], 0, 0, 1))};
}

Variables not_zero(const NodeCall& n) {
    if (n[0].rank() == 0) return {fill({Dtype::int64, {0, n[0].item<double>() != 0 ? 1 : 0}}, 0)};
    return {transpose(argwhere(n[0]))};
}

Variables compressed(const NodeCall& n) {
    const bool whole = !n.has_attribute("axis");
    const Variable x = whole ? flatten(n[0]) : n[0];
    const int axis = whole ? 0 : n.axis("axis", 0, x.rank());
    std::vector<int64_t> kept;
    const std::vector<int64_t> wanted = n.values(1, {});
    for (size_t i = 0; i < wanted.size() && int64_t(i) < x.shape()[axis]; ++i)
        if (wanted[i]) kept.push_back(int64_t(i));
    return {take(x, Variable(Array::from(kept, Shape{int64_t(kept.size())}), false), axis)};
}

Variables reversed(const NodeCall& n) {
    const Shape& x = n.ranked(0, 2).shape();
    const int64_t last = x.rank() - 1;
    const int time = int(n.integer("time_axis", 0, {0, last})),
              batch = int(n.integer("batch_axis", 1, {0, last}));
    if (time == batch) n.wrong(fmt::format("axis {} is both that of time and of batches", time));
    const int64_t steps = x[time], rows = x[batch];
    const std::vector<int64_t> lengths = n.values(1, {{0, steps}, size_t(rows)});
    std::vector<int64_t> order;
    for (int64_t t = 0; t < steps; ++t)
        for (int64_t b = 0; b < rows; ++b)
            order.push_back(t < lengths[size_t(b)] ? lengths[size_t(b)] - 1 - t : t);
    Shape shape = Shape::filled(n[0].rank(), 1);
    shape[time] = steps;
    shape[batch] = rows;
    Variable places(Array::from(order, Shape{steps, rows}), false);
    if (time > batch) places = transpose(places);
    return {take_along_axis(n[0], broadcast_to(reshape(places, shape), n[0].shape()), time)};
}

Variables distinct(const NodeCall& n) {
    UniqueOptions options{.sorted = n.flag("sorted", true)};
    if (n.has_attribute("axis")) options.axis = n.axis("axis", 0, n[0].rank());
    const Unique found = unique_with_places(n[0], options);
    return {found.values, found.indices, found.inverse, found.counts};
}

const int indexing_importers = add_importers({
    Importer("Gather", gathered).with_weights({0}),
    {"GatherElements", elements_gathered},
    {"GatherND", rows_gathered},
    {"Scatter", elements_scattered},
    {"ScatterElements", elements_scattered},
    {"ScatterND", rows_scattered},
    {"OneHot", hot},
    {"NonZero", not_zero},
    {"Compress", compressed},
    {"ReverseSequence", reversed},
    {"Unique", distinct},
});

}  // namespace

Variable with_last_updates(const Variable& x, const Variable& places, const Variable& updates) {
    const std::vector<Index> slices{places};
    if (places.size() < 2) return with_all(x, updates, slices);
    return with_those(last_of_equal(places, 0), x, updates, slices);
}

}  // namespace catena::onnx
