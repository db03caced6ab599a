// Sequences of arrays, and values that may be absent. Their lengths are known while the model runs,
// on the host.
#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// A place in a sequence of `size` elements, from behind if negative; at most `most`.
size_t place_in(const NodeCall& n, int input, size_t size, size_t most) {
    const int64_t given = n.value(input, any_number),
                  place = given < 0 ? given + int64_t(size) : given;
    if (place < 0 || place > int64_t(most))
        n.wrong(fmt::format("place {} of a sequence of {}", given, size));
    return size_t(place);
}

size_t last_of(const NodeCall& n, const std::vector<Variable>& list) {
    if (list.empty()) n.wrong("the sequence is empty");
    return list.size() - 1;
}

Items constructed(const NodeCall& n) {
    for (int i = 0; i < n.count(); ++i) n[i];
    return {Item(n.inputs())};
}

Variables element(const NodeCall& n) {
    const auto& list = n.sequence(0);
    return {list[place_in(n, 1, list.size(), last_of(n, list))]};
}

Items inserted(const NodeCall& n) {
    std::vector<Variable> list = n.sequence(0);
    const size_t place = n.has(2) ? place_in(n, 2, list.size(), list.size()) : list.size();
    list.insert(list.begin() + long(place), n[1]);
    return {Item(std::move(list))};
}

Items erased(const NodeCall& n) {
    std::vector<Variable> list = n.sequence(0);
    const size_t last = last_of(n, list);
    list.erase(list.begin() + long(n.has(1) ? place_in(n, 1, list.size(), last) : last));
    return {Item(std::move(list))};
}

Variables length(const NodeCall& n) {
    return {Variable(Array::scalar(int64_t(n.sequence(0).size())), false)};
}

/// The sizes of the parts: a list, or all the same but for the last.
std::vector<int64_t> sizes_of_parts(const NodeCall& n, int64_t size) {
    if (n.has(1) && n[1].rank() > 0) return n.values(1, {{0, size}});
    const int64_t each = n.has(1) ? n.value(1, {.least = 1}) : 1;
    std::vector<int64_t> sizes(size_t(size / each), each);
    if (size % each) sizes.push_back(size % each);
    return sizes;
}

Items split_up(const NodeCall& n) {
    const Variable& x = n[0];
    const int axis = n.axis("axis", 0, x.rank());
    const bool drops_axis = !n.has(1) && !n.flag("keepdims", true);
    std::vector<Variable> parts;
    int64_t at = 0;
    for (int64_t size : sizes_of_parts(n, x.shape()[axis])) {
        if (size > x.shape()[axis] - at)
            n.wrong(fmt::format("parts of more than the {} elements", x.shape()[axis]));
        const Variable part = slice_axis(x, axis, at, size);
        parts.push_back(drops_axis ? squeeze(part, {axis}) : part);
        at += size;
    }
    if (at != x.shape()[axis])
        n.wrong(fmt::format("parts of {} of the {} elements", at, x.shape()[axis]));
    return {Item(std::move(parts))};
}

Variables joined_sequence(const NodeCall& n) {
    const auto& list = n.sequence(0);
    last_of(n, list);
    const bool is_new = n.flag("new_axis");
    const int axis = n.axis(n.integer("axis", any_number), list[0].rank() + is_new);
    return {is_new ? stack(list, axis) : concat(list, axis)};
}

/// The body on every element of the first sequence, and of the other ones beside it; arrays are the
/// same for all.
Items mapped(const NodeCall& n) {
    const size_t count = n.sequence(0).size(), outputs = size_t(n.output_count());
    std::vector<std::vector<Variable>> lists(outputs);
    for (size_t i = 0; i < count; ++i) {
        Items inputs;
        for (int k = 0; k < n.count(); ++k) {
            if (!n.items()[size_t(k)].sequence) {
                inputs.push_back(n[k]);
            } else if (n.sequence(k).size() != count) {
                n.wrong(
                    fmt::format("sequences of {} and {} elements", count, n.sequence(k).size()));
            } else {
                inputs.push_back(n.sequence(k)[i]);
            }
        }
        const Items results = n.run_graph("body", inputs);
        if (results.size() != outputs)
            n.wrong(
                fmt::format("its body has {} outputs, {} are expected", results.size(), outputs));
        for (size_t k = 0; k < outputs; ++k) {
            if (!results[k].variable.defined()) n.wrong("its body gives what is no array");
            lists[k].push_back(results[k].variable);
        }
    }
    Items all;
    for (auto& list : lists) all.push_back(Item(std::move(list)));
    return all;
}

Variables is_present(const NodeCall& n) {
    const bool present = n.count() > 0 && n.items()[0].is_present();
    return {Variable(Array::full({Dtype::bool_, Shape{}}, present), false)};
}

/// The optional value of an input; without an input, a value that is absent.
Items optional_value(const NodeCall& n) {
    return n.count() > 0 ? n.items() : Items{Item::absent()};
}

Items content(const NodeCall& n) {
    if (n.count() < 1 || !n.items()[0].is_present()) n.wrong("the optional value is absent");
    return n.items();
}

const int sequence_importers = add_importers({
    {"SequenceEmpty", [](const NodeCall&) { return Items{Item(std::vector<Variable>())}; }},
    {"SequenceConstruct", constructed},
    {"SequenceAt", element},
    {"SequenceInsert", inserted},
    {"SequenceErase", erased},
    {"SequenceLength", length},
    {"SplitToSequence", split_up},
    {"ConcatFromSequence", joined_sequence},
    {"SequenceMap", mapped},
    {"Optional", optional_value},
    {"OptionalHasElement", is_present},
    {"OptionalGetElement", content},
});

}  // namespace
}  // namespace catena::onnx
