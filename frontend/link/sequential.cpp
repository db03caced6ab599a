#include "frontend/link/sequential.h"

#include <algorithm>
#include <utility>

#include "frontend/link/sequential_layer.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/code_changes.h"

namespace catena {

namespace {

std::string times(size_t count) {
    return count == 1 ? "1 Variable" : fmt::format("{} Variables", count);
}

}  // namespace

Sequential::Function::Function(const Function& other)
    : owned_(other.owned_ ? other.copy_(other.owned_) : nullptr),
      copy_(other.copy_),
      destroy_(other.destroy_) {}
Sequential::Function::Function(Function&& other) noexcept
    : owned_(std::exchange(other.owned_, nullptr)), copy_(other.copy_), destroy_(other.destroy_) {}
Sequential::Function& Sequential::Function::operator=(Function other) noexcept {
    std::swap(owned_, other.owned_);
    std::swap(copy_, other.copy_);
    std::swap(destroy_, other.destroy_);
    return *this;
}
Sequential::Function::~Function() {
    if (owned_) destroy_(owned_);
}

Sequential::Sequential() = default;
Sequential::Sequential(const Sequential&) = default;
Sequential::Sequential(Sequential&&) noexcept = default;
Sequential& Sequential::operator=(const Sequential& other) { return *this = Sequential(other); }
Sequential& Sequential::operator=(Sequential&& other) {
    if (this == &other) return *this;
    Link::operator=(other);
    layers_.erase(layers_.begin() + std::ptrdiff_t(std::min(size(), other.size())), layers_.end());
    for (size_t i = 0; i < other.size(); ++i) {
        if (i == size())
            layers_.push_back(std::move(other.layers_[i]));
        else
            layers_[i].assign(std::move(other.layers_[i]));
    }
    other.layers_.clear();
    renumber();
    return *this;
}
Sequential::~Sequential() = default;

size_t Sequential::size() const { return layers_.size(); }

Sequential operator+(Sequential a, const Sequential& b) { return std::move(a.extend(b)); }

Variables Sequential::as_list(const Variable& result) { return {result}; }

Variables Sequential::computed(Arguments xs) const {
    if (layers_.empty()) fail<ValueError>("{}: has no layers to call", type_name());
    Variables values(xs);
    for (size_t i = 0; i < layers_.size(); ++i) {
        if (values.size() > 3 || !(layers_[i].counts >> values.size() & 1))
            fail<ValueError>("{}: layer {} does not take the {} that {}", type_name(), i,
                             times(values.size()),
                             i == 0 ? "the call has" : fmt::format("layer {} gives", i - 1));
        values = layers_[i](values);
    }
    return values;
}

Variable Sequential::one_result(std::initializer_list<const Operand*> operands) const {
    LocationScope scope((*operands.begin())->location());
    SmallVector<Variable, 3> xs;
    for (const Operand* operand : operands) xs.push_back(operand->variable());
    Variables values = computed(xs);
    if (values.size() != 1)
        fail<ValueError>("{}: the last layer gives {}; forward() returns them all", type_name(),
                         times(values.size()));
    return std::move(values[0]);
}

Variables Sequential::forward(std::span<const Variable> xs) const {
    return called_with([&] { return computed(xs); }, xs);
}
Variable Sequential::operator()(const Operand& x) const {
    return called(x, [&] { return one_result({&x}); });
}
Variable Sequential::operator()(const Operand& x0, const Operand& x1) const {
    return called_with([&] { return one_result({&x0, &x1}); }, x0, x1);
}
Variable Sequential::operator()(const Operand& x0, const Operand& x1, const Operand& x2) const {
    return called_with([&] { return one_result({&x0, &x1, &x2}); }, x0, x1, x2);
}

void Sequential::check_index(size_t index, size_t limit) const {
    if (index >= limit)
        fail<ValueError>("{}: there is no layer {}, it has {}", type_name(), index, size());
}

void Sequential::place(size_t index, OwnedLink link, unsigned counts, Call* call) {
    place(index, Layer{std::move(link), {}, counts, call});
}
void Sequential::place(size_t index, Function function, unsigned counts, Call* call) {
    place(index, Layer{{}, std::move(function), counts, call});
}
void Sequential::place(size_t index, Layer layer) {
    check_index(index, size() + 1);
    layers_.insert(layers_.begin() + std::ptrdiff_t(index), std::move(layer));
    renumber();
}

void Sequential::merge_into_next(size_t index) {
    layers_[index + 1].assign(std::move(layers_[index]));
    erase(index);
}

void Sequential::renumber() {
    note_code_change();
    int number = 0;
    for (Layer& layer : layers_)
        if (layer.link) name_child(*layer.link, std::to_string(number++));
}

Sequential& Sequential::extend(const Sequential& other) {
    std::vector<Layer> more = other.layers_;  // A copy first: `other` may be this.
    for (Layer& layer : more) place(size(), std::move(layer));
    return *this;
}

void Sequential::erase(size_t index) {
    check_index(index, size());
    layers_.erase(layers_.begin() + std::ptrdiff_t(index));
    renumber();
}

Sequential Sequential::slice(size_t begin, size_t end) const {
    if (begin > end || end > size())
        fail<ValueError>("{}: slice({}, {}) is not within its {} layers", type_name(), begin, end,
                         size());
    Sequential part;
    for (size_t i = begin; i < end; ++i) part.place(part.size(), layers_[i]);
    return part;
}

Sequential Sequential::reversed() const {
    Sequential other;
    for (const Layer& layer : layers_) other.place(0, layer);
    return other;
}

void Sequential::clear() {
    layers_.clear();
    renumber();
}

Link& Sequential::operator[](size_t index) const {
    check_index(index, size());
    if (!layers_[index].link)
        fail<ValueError>("{}: layer {} is a function, not a link", type_name(), index);
    return *layers_[index].link;
}

size_t Sequential::index(const Link& link) const {
    for (size_t i = 0; i < layers_.size(); ++i)
        if (layers_[i].link.get() == &link) return i;
    fail<ValueError>("{}: the {} '{}' is none of its layers", type_name(), link.type_name(),
                     link.name());
}

bool Sequential::contains(const Link& link) const {
    return std::any_of(layers_.begin(), layers_.end(),
                       [&](const Layer& layer) { return layer.link.get() == &link; });
}

int Sequential::count_by_layer_type(std::string_view name) const {
    int count = 0;
    for (const Layer& layer : layers_) count += layer.link && layer.link->type_name() == name;
    return count;
}

int Sequential::remove_by_layer_type(std::string_view name) {
    int removed = int(std::erase_if(layers_, [&](const Layer& layer) {
        return layer.link && layer.link->type_name() == name;
    }));
    renumber();
    return removed;
}

Sequential Sequential::flatten() const {
    Sequential flat;
    for (const Layer& layer : layers_) {
        if (auto* inner = dynamic_cast<const Sequential*>(layer.link.get()))
            flat.extend(inner->flatten());
        else
            flat.place(flat.size(), layer);
    }
    return flat;
}

void Sequential::visit_children(ChildVisitor visit) const {
    Link::visit_children(visit);
    for (const Layer& layer : layers_)
        if (layer.link) visit(layer.link->name(), *layer.link);
}

}  // namespace catena
