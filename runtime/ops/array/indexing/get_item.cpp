#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/array/indexing/gather.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/indexing/read_slices.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/by_name/function.h"

namespace catena {

namespace {

/// x[slices] as at most three steps: a strided slice, a reshape (integers drop axes, newaxis adds
/// them), a gather.
struct Plan {
    Dims begin, step, size;
    Shape shape;      ///< The shape after the reshape.
    Gather gathered;  ///< No axes: no gather.
};

// get_item_c1: at most one ellipsis
// get_item_c2: no more indices than axes
int count_named_axes(std::span<const Index> slices, const Shape& shape) {
    int named = 0, ellipses = 0;
    for (const Index& index : slices) {
        if (const Variable* array = std::get_if<Variable>(&index.value()))
            named += array->dtype() == Dtype::bool_ ? array->rank() : 1;
        else if (std::holds_alternative<Ellipsis>(index.value()))
            ++ellipses;
        else if (!std::holds_alternative<NewAxis>(index.value()))
            ++named;
    }
    if (ellipses > 1) fail<ValueError>("get_item: {} ellipses, at most one is possible", ellipses);
    if (named > shape.rank())
        fail<ShapeError>("get_item: {} indices for x {}, which has {} axes", named,
                         to_string(shape), shape.rank());
    return named;
}

/// Python's rules for begin:end:step on an axis of n elements.
void resolve_slice(const Slice& slice, int64_t n, int64_t& begin, int64_t& size) {
    if (slice.step == 0)
        fail<ValueError>("get_item: a slice with step 0; steps are positive or negative");
    const bool up = slice.step > 0;
    const int64_t lowest = up ? 0 : -1, highest = up ? n : n - 1;
    const auto resolve = [&](const std::optional<int64_t>& place, int64_t otherwise) {
        if (!place) return otherwise;
        return std::clamp(*place < 0 ? *place + n : *place, lowest, highest);
    };
    begin = resolve(slice.begin, up ? lowest : highest);
    const int64_t end = resolve(slice.end, up ? highest : lowest);
    const int64_t distance = up ? end - begin : begin - end;
    // The largest step backwards has no absolute value; it takes one element, too.
    const int64_t pace = std::abs(std::max(slice.step, -std::numeric_limits<int64_t>::max()));
    size = distance <= 0 ? 0 : 1 + (distance - 1) / pace;
    if (size == 0) begin = 0;
}

/// Places of the true elements, one array for each axis of the mask.
Variables true_places(const Variable& mask, const Shape& shape, int axis) {
    for (int i = 0; i < mask.rank(); ++i)
        if (mask.shape()[i] != shape[axis + i])
            fail<ShapeError>(
                "get_item: a bool index {} must have the sizes of x {} from axis {} on",
                to_string(mask.shape()), to_string(shape), axis);
    std::vector<std::vector<int64_t>> places(size_t(mask.rank()));
    int64_t flat = 0;
    for (int64_t truth : mask.array().to_vector<int64_t>()) {
        int64_t rest = flat++;
        if (!truth) continue;
        for (int i = mask.rank(); i-- > 0; rest /= mask.shape()[i])
            places[size_t(i)].push_back(rest % mask.shape()[i]);
    }
    Variables result;
    for (const std::vector<int64_t>& along : places)
        result.push_back(Variable(Array::from(along, {int64_t(along.size())}), false));
    return result;
}

/// Reads the indices from the left and builds the plan.
class Planner {
public:
    Planner(const Shape& shape, std::span<const Index> slices) : shape_(shape) {
        const int named = count_named_axes(slices, shape);
        for (const Index& index : slices) {
            ++entry_;
            if (std::holds_alternative<Ellipsis>(index.value()))
                for (int i = named; i < shape.rank(); ++i) keep({});
            else
                std::visit([&](const auto& value) { add(value); }, index.value());
        }
        ++entry_;
        while (plan_.begin.rank() < shape.rank()) keep({});
        // Apart from each other, the axes of the indices go first (NumPy's rule).
        if (!plan_.gathered.axes.empty() && adjacent_)
            plan_.gathered.position = int(plan_.gathered.axes[0]);
    }
    const Plan& plan() const { return plan_; }

private:
    void add(int64_t index) {
        note_advanced();
        const int axis = plan_.begin.rank();
        const int64_t n = shape_[axis];
        if (index < -n || index >= n)
            fail<ValueError>(
                "get_item: index {} is outside of axis {} of size {}, which takes {} to {}", index,
                axis, n, -n, n - 1);
        take(index < 0 ? index + n : index, 1, 1);
    }
    void add(const Slice& slice) { keep(slice); }
    void add(NewAxis) { plan_.shape.push_back(1); }
    void add(Ellipsis) {}
    void add(const Variable& indices) {
        if (indices.dtype() == Dtype::bool_) {
            if (indices.rank() == 0)
                fail<ShapeError>("get_item: a bool index must have at least one axis");
            for (const Variable& along : true_places(indices, shape_, plan_.begin.rank()))
                gather_along(along);
        } else {
            gather_along(indices);
        }
    }
    void gather_along(const Variable& indices) {
        note_advanced();
        plan_.gathered.indices.push_back(indices);
        plan_.gathered.axes.push_back(plan_.shape.rank());
        plan_.gathered.named.push_back(plan_.begin.rank());
        keep({});
    }
    void keep(const Slice& slice) {
        int64_t begin, size;
        resolve_slice(slice, shape_[plan_.begin.rank()], begin, size);
        take(begin, slice.step, size);
        plan_.shape.push_back(size);
    }
    void take(int64_t begin, int64_t step, int64_t size) {
        plan_.begin.push_back(begin);
        plan_.step.push_back(step);
        plan_.size.push_back(size);
    }
    void note_advanced() {
        if (last_advanced_ >= 0 && last_advanced_ < entry_ - 1) adjacent_ = false;
        last_advanced_ = entry_;
    }

    const Shape shape_;
    Plan plan_;
    int entry_ = 0;
    int last_advanced_ = -1;
    bool adjacent_ = true;
};

bool is_whole(const Plan& plan, const Shape& shape) {
    for (int i = 0; i < shape.rank(); ++i)
        if (plan.begin[i] != 0 || plan.step[i] != 1 || plan.size[i] != shape[i]) return false;
    return true;
}

}  // namespace

Variable get_item(const Operand& x, std::span<const Index> slices) {
    LocationScope scope(x.location());
    Variable y = x;
    const Plan plan = Planner(y.shape(), slices).plan();
    if (!is_whole(plan, y.shape())) y = strided_slice(y, plan.begin, plan.step, plan.size);
    y = reshape(y, plan.shape);
    return plan.gathered.axes.empty() ? y : gather(y, plan.gathered);
}
Variable get_item(const Operand& x, std::initializer_list<Index> slices) {
    return get_item(x, std::span<const Index>(slices.begin(), slices.size()));
}

Variable Variable::operator[](std::initializer_list<Index> slices) const {
    const std::span<const Index> all(slices.begin(), slices.size());
    return get_item(Operand(*this, all.empty() ? std::source_location() : all[0].location()), all);
}
Variable Variable::operator[](const Index& index) const {
    return get_item(Operand(*this, index.location()), std::span<const Index>(&index, 1));
}

// scatter_add_c2: b has the shape and dtype of get_item(a, slices)
Variable scatter_add(const Operand& a, std::span<const Index> slices, const Operand& b) {
    LocationScope scope(a.location());
    const bool differ = a.variable().dtype() != b.variable().dtype();
    const Variable base = differ ? autocast_wide(a) : a.variable();
    Variable added = differ ? autocast_wide(b) : b.variable();
    if (base.dtype() != added.dtype())
        fail<DtypeError>("scatter_add: a is {} and b {}; dtypes must be equal",
                         name_of(base.dtype()), name_of(added.dtype()));
    const Plan plan = Planner(base.shape(), slices).plan();
    if (!plan.gathered.axes.empty()) added = scatter(added, plan.gathered, plan.shape);
    if (added.shape() != plan.shape)
        fail<ShapeError>("scatter_add: b is {}, the slices of a {} have shape {}",
                         to_string(added.shape()), to_string(base.shape()), to_string(plan.shape));
    added = reshape(added, plan.size);
    if (!is_whole(plan, base.shape()))
        added = place_slice(added, plan.begin, plan.step, base.shape());
    return base + added;
}
Variable scatter_add(const Operand& a, std::initializer_list<Index> slices, const Operand& b) {
    return scatter_add(a, std::span<const Index>(slices.begin(), slices.size()), b);
}

static const FunctionDef& f_get_item =
    function("get_item(x, slices)", {"x"},
             [](const FunctionArguments& a) { return get_item(a.array("x"), read_slices(a)); });
static const FunctionDef& f_scatter_add =
    function("scatter_add(a, slices, b)", {"a", "b"}, [](const FunctionArguments& a) {
        return scatter_add(a.array("a"), read_slices(a), a.array("b"));
    });

}  // namespace catena
