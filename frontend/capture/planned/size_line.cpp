#include "frontend/capture/planned/size_line.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "frontend/capture/planned/trace_numbers.h"
#include "runtime/program/stream/schedule_numbers.h"

namespace catena::capture {
namespace {

using Wide = __int128;

void sort_once(auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// No size, stride or number of bytes is larger.
constexpr int64_t most = int64_t(1) << 46;

/// The value at a position, of the polynomial through points, is the sum of their values times
/// above / below: Lagrange's form.
struct Weights {
    std::vector<Wide> above;
    Wide below = 1;
};

/// The polynomial through points; nothing on overflow.
template <class Points>
std::optional<Weights> weights_at(const Points& points, int64_t position) {
    Weights weights;
    std::vector<Wide> below;
    auto multiply = [](Wide& a, Wide b) { return !__builtin_mul_overflow(a, b, &a); };
    for (const auto& point : points) {
        Wide up = 1, down = 1;
        for (const auto& other : points)
            if (&other != &point && (!multiply(up, position - other.position) ||
                                     !multiply(down, point.position - other.position)))
                return std::nullopt;
        weights.above.push_back(up);
        below.push_back(down);
    }
    for (Wide down : below) {
        Wide a = weights.below, b = down < 0 ? -down : down;
        while (b != 0) a = std::exchange(b, a % b);
        if (!multiply(weights.below, (down < 0 ? -down : down) / a)) return std::nullopt;
    }
    for (size_t j = 0; j < below.size(); ++j)
        if (!multiply(weights.above[j], weights.below / below[j])) return std::nullopt;
    return weights;
}

/// A schedule to be copied for other sizes.
program::Schedule without_texts(const program::Schedule& schedule) {
    program::Schedule blank = schedule;
    for (program::KernelLaunch& kernel : blank.kernels) {
        kernel.key = {};
    }
    blank.info.notes = {"planned from the programs compiled for other sizes"};
    blank.info.bytes = program::bytes_of(blank);  // They share the machine code.
    return blank;
}

std::vector<ChannelsLast> orders_wanted(const program::Schedule& schedule) {
    std::vector<ChannelsLast> orders;
    for (const program::LibraryCall& call : schedule.library_calls)
        orders.push_back(program::orders_wanted(call));
    return orders;
}

}  // namespace

SizeLine::SizeLine(const Trace& trace) : trace_(without_owners(trace)) {}

std::unique_ptr<SizeLine> SizeLine::through(const Trace& trace, std::span<const int64_t> a,
                                            std::span<const int64_t> b) {
    std::unique_ptr<SizeLine> line(new SizeLine(trace));
    const size_t sizes = size_count(trace);
    int64_t divisor = 0, growth = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        divisor = std::gcd(divisor, b[i] - a[i]);
        if (i < sizes) growth += b[i] - a[i];
    }
    if (divisor == 0) return nullptr;
    if (growth < 0) std::swap(a, b);
    line->origin_.assign(a.begin(), a.end());
    std::vector<char> moves;
    for (size_t i = 0; i < a.size(); ++i) {
        line->step_.push_back((b[i] - a[i]) / divisor);
        moves.push_back(a[i] != b[i]);
        if (moves[i]) {
            line->moving_.push_back(i);
            line->changing_.emplace_back(a[i], line->step_[i]);
        } else if (i < sizes) {
            line->constants_.push_back(a[i]);
        }
    }
    sort_once(line->changing_);
    sort_once(line->constants_);
    line->degree_ = std::max(1, changing_factors(trace, moves));
    return line->is_ordinary(0) && line->is_ordinary(divisor) ? std::move(line) : nullptr;
}

std::optional<int64_t> SizeLine::position_of(std::span<const int64_t> numbers) const {
    const size_t at = moving_[0];
    const int64_t position = (numbers[at] - origin_[at]) / step_[at];
    for (size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] != origin_[i] + position * step_[i]) return std::nullopt;
    return position;
}

std::vector<int64_t> SizeLine::numbers_at(int64_t position) const {
    std::vector<int64_t> numbers = origin_;
    for (size_t i : moving_) numbers[i] += position * step_[i];
    return numbers;
}

bool SizeLine::is_ordinary(int64_t position) const {
    std::vector<int64_t> values;
    for (const auto& [origin, step] : changing_) {
        values.push_back(origin + position * step);
        if (values.back() <= 1 || std::ranges::binary_search(constants_, values.back()))
            return false;
    }
    std::sort(values.begin(), values.end());
    return std::ranges::adjacent_find(values) == values.end();
}

std::optional<int64_t> SizeLine::first() const {
    std::optional<int64_t> least;
    for (const Form& form : forms_) least = std::min(least.value_or(form.first), form.first);
    return least;
}

std::optional<int64_t> SizeLine::last() const {
    std::optional<int64_t> most;
    for (const Form& form : forms_) most = std::max(most.value_or(form.last), form.last);
    return most;
}

std::string SizeLine::difference_to(const program::Schedule& schedule) const {
    std::string what;
    for (const Form& form : forms_)
        if ((what = program::difference(*form.schedule, schedule)).empty()) break;
    return what;
}

void SizeLine::add(int64_t position, const Trace& recording,
                   std::shared_ptr<const program::Schedule> schedule) {
    std::vector<int64_t> numbers = program::numbers_of(*schedule);
    auto form = std::ranges::find_if(
        forms_, [&](const Form& f) { return program::difference(*f.schedule, *schedule).empty(); });
    if (form == forms_.end()) {
        forms_.push_back({schedule,
                          without_texts(*schedule),
                          relations(*schedule, recording),
                          {},
                          {},
                          true,
                          position,
                          position});
        form = std::prev(forms_.end());
    }
    if (std::ranges::find(form->points, position, &Point::position) != form->points.end()) return;
    std::vector<ChannelsLast> orders = orders_wanted(*schedule);
    if (std::ranges::find(form->orders, orders) == form->orders.end())
        form->orders.push_back(std::move(orders));
    form->is_fitting =
        form->relations.restrict_to(relations(*schedule, recording)) && form->is_fitting;
    form->first = std::min(form->first, position);
    form->last = std::max(form->last, position);
    // The first points determine the polynomials, further ones confirm or refute them.
    if (int(form->points.size()) > degree_)
        form->is_fitting = form->is_fitting && interpolate(*form, position) == numbers;
    if (int(form->points.size()) < degree_ + 2)
        form->points.push_back({position, std::move(numbers)});
}

std::optional<std::vector<int64_t>> SizeLine::interpolate(const Form& form,
                                                          int64_t position) const {
    const std::span<const Point> points(form.points.data(), size_t(degree_) + 1);
    const std::optional<Weights> weights = weights_at(points, position);
    if (!weights) return std::nullopt;
    std::vector<int64_t> numbers = points[0].numbers;
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (std::ranges::all_of(points, [&](const Point& p) { return p.numbers[i] == numbers[i]; }))
            continue;
        Wide sum = 0;
        for (size_t j = 0; j < points.size(); ++j) {
            Wide term;
            if (__builtin_mul_overflow(weights->above[j], Wide(points[j].numbers[i]), &term) ||
                __builtin_add_overflow(sum, term, &sum))
                return std::nullopt;
        }
        if (sum % weights->below != 0 || sum / weights->below > most || sum / weights->below < 0)
            return std::nullopt;
        numbers[i] = int64_t(sum / weights->below);
    }
    return numbers;
}

std::optional<program::Schedule> SizeLine::schedule_at(int64_t position,
                                                       const Trace& recording) const {
    const Form* around = nullptr;
    for (const Form& form : forms_) {
        if (position < form.first || position > form.last) continue;
        if (around) return std::nullopt;  // Between two forms.
        around = &form;
    }
    if (!around || !is_determined(*around)) return std::nullopt;
    const std::optional<std::vector<int64_t>> numbers = interpolate(*around, position);
    if (!numbers) return std::nullopt;
    program::Schedule schedule = around->blank;
    if (!program::set_numbers(schedule, *numbers)) return std::nullopt;
    if (std::ranges::find(around->orders, orders_wanted(schedule)) == around->orders.end())
        return std::nullopt;
    const Relations planned = relations(schedule, recording);
    if (planned.unexplained() > 0 || !difference(around->relations, planned).empty())
        return std::nullopt;
    return schedule;
}

}  // namespace catena::capture
