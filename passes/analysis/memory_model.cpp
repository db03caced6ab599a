#include "passes/analysis/memory_model.h"

#include <algorithm>
#include <optional>

namespace catena::passes {
namespace {

/// Smaller values than this share of one that is given up may live longer for it rather than be
/// made again.
constexpr int64_t small_share = 16;
/// Values tried before the plan is taken as the best that there is.
constexpr size_t most_tries = 12;
constexpr size_t longest_chain = 40;

/// A step at some place; what it makes are `versions` of the model's values.
struct Instance {
    int step = 0;
    std::vector<int> reads, makes;  ///< The versions of values that a step reads and makes.
    bool is_copy = false;
};

struct Version {
    int value = 0, maker = -1;  ///< An instance; -1: an input.
};

/// An order of instances with the life of each version in it.
class Order {
public:
    explicit Order(const MemoryModel& model) : model_(&model) {
        for (size_t v = 0; v < model.values.size(); ++v) versions_.push_back({int(v), -1});
        versions_of_.resize(model.values.size());
        for (size_t v = 0; v < model.values.size(); ++v) versions_of_[v].push_back(int(v));
        for (size_t s = 0; s < model.steps.size(); ++s) {
            instances_.push_back({int(s), model.steps[s].reads, model.steps[s].makes, false});
            for (int v : model.steps[s].makes) versions_[size_t(v)].maker = int(s);
            order_.push_back(int(s));
        }
        measure();
    }

    int64_t peak() const { return peak_; }
    int64_t excess(int64_t budget) const {
        int64_t sum = 0;
        for (int64_t bytes : alive_) sum += std::max<int64_t>(0, bytes - budget);
        return sum;
    }
    double more_seconds() const { return more_seconds_; }

    /// A version that is alive where most is, and read only before and after that place.
    struct Waiting {
        int version = 0, reader_place = 0;
    };
    std::vector<Waiting> waiting_at_peak() const {
        const int place = int(std::ranges::max_element(alive_) - alive_.begin());
        std::vector<Waiting> waiting;
        for (size_t v = 0; v < versions_.size(); ++v) {
            if (bytes(int(v)) == 0 || first_[v] >= place || last_[v] <= place ||
                !step_of(int(v)).is_repeatable)
                continue;
            const auto next = std::ranges::lower_bound(readers_[v], place);
            if (*next != place) waiting.push_back({int(v), *next});
        }
        return waiting;
    }

    /// What making `waiting` again before its reader takes; nothing if it cannot be done.
    struct Chain {
        Waiting waiting;
        std::vector<int> copied, moved;  ///< Instances, in the order of need.
        int64_t frees = 0;
        double seconds = 0;
    };
    std::optional<Chain> chain_for(const Waiting& waiting) const {
        Chain chain{.waiting = waiting,
                    .copied = {},
                    .moved = {},
                    .frees = bytes(waiting.version),
                    .seconds = 0};
        const int place = int(std::ranges::max_element(alive_) - alive_.begin());
        if (!need(versions_[size_t(waiting.version)].maker, place, chain)) return std::nullopt;
        if (chain.frees <= 0) return std::nullopt;
        return chain;
    }

    void apply(const Chain& chain) {
        const int at = chain.waiting.reader_place;
        std::vector<int> inserted;
        for (int instance : needed_in_order(chain)) {
            if (std::ranges::find(chain.moved, instance) != chain.moved.end()) {
                inserted.push_back(instance);
                continue;
            }
            const Instance original = instances_[size_t(instance)];
            Instance copy{original.step, original.reads, {}, true};
            for (int& read : copy.reads) read = source_at(read, at, inserted);
            for (int made : original.makes) {
                versions_of_[size_t(versions_[size_t(made)].value)].push_back(
                    int(versions_.size()));
                copy.makes.push_back(int(versions_.size()));
                versions_.push_back({versions_[size_t(made)].value, int(instances_.size())});
            }
            inserted.push_back(int(instances_.size()));
            instances_.push_back(std::move(copy));
            more_seconds_ += model_->steps[size_t(original.step)].seconds;
        }
        redirect(chain.waiting.version, at, instances_[size_t(inserted.back())]);
        std::vector<int> order;
        for (size_t p = 0; p < order_.size(); ++p) {
            if (int(p) == at) order.insert(order.end(), inserted.begin(), inserted.end());
            if (std::ranges::find(chain.moved, order_[p]) == chain.moved.end())
                order.push_back(order_[p]);
        }
        order_ = std::move(order);
        measure();
    }

    MemoryPlan plan() const {
        MemoryPlan plan{.order = {}, .bytes = peak_, .more_seconds = more_seconds_};
        for (int instance : order_) {
            PlannedStep step{instances_[size_t(instance)].step, {}};
            for (int read : instances_[size_t(instance)].reads)
                step.read_from.push_back(first_[size_t(read)]);
            plan.order.push_back(std::move(step));
        }
        return plan;
    }

private:
    int64_t bytes(int version) const {
        return model_->values[size_t(versions_[size_t(version)].value)].bytes;
    }
    const MemoryModel::Step& step_of(int version) const {
        return model_->steps[size_t(instances_[size_t(versions_[size_t(version)].maker)].step)];
    }

    /// Finds where each version is made and read, and how much is alive at each place.
    void measure() {
        first_.assign(versions_.size(), -1);
        last_.assign(versions_.size(), -1);
        readers_.assign(versions_.size(), {});
        for (size_t p = 0; p < order_.size(); ++p) {
            const Instance& instance = instances_[size_t(order_[p])];
            for (int v : instance.makes) first_[size_t(v)] = last_[size_t(v)] = int(p);
            for (int v : instance.reads) {
                last_[size_t(v)] = int(p);
                if (readers_[size_t(v)].empty() || readers_[size_t(v)].back() != int(p))
                    readers_[size_t(v)].push_back(int(p));
            }
        }
        std::vector<int64_t> change(order_.size() + 1, 0);
        for (size_t v = 0; v < versions_.size(); ++v) {
            if (first_[v] < 0) continue;
            change[size_t(first_[v])] += bytes(int(v));
            change[size_t(last_[v]) + 1] -= bytes(int(v));
        }
        alive_.assign(order_.size(), 0);
        int64_t now = 0;
        for (size_t p = 0; p < order_.size(); ++p) alive_[p] = now += change[p];
        peak_ = alive_.empty() ? 0 : *std::ranges::max_element(alive_);
    }

    bool is_alive_at(int version, int at) const {
        return versions_[size_t(version)].maker < 0 ||
               (first_[size_t(version)] < at && last_[size_t(version)] >= at);
    }

    /// Adds `instance`, after what it reads, to those that are made again before the reader.
    bool need(int instance, int place, Chain& chain) const {
        if (std::ranges::find(chain.copied, instance) != chain.copied.end()) return true;
        const MemoryModel::Step& step = model_->steps[size_t(instances_[size_t(instance)].step)];
        if (!step.is_repeatable || chain.copied.size() + chain.moved.size() >= longest_chain)
            return false;
        for (int read : instances_[size_t(instance)].reads)
            if (!has_source(read, place, chain)) return false;
        chain.copied.push_back(instance);
        chain.seconds += step.seconds;
        return true;
    }

    /// A version of the value that `read` is, for a copy before the reader: alive, small enough to
    /// be kept alive, made again later anyway and then earlier now, or made again.
    bool has_source(int read, int place, Chain& chain) const {
        const int at = chain.waiting.reader_place;
        if (versions_[size_t(read)].maker < 0) return true;
        const std::vector<int>& versions = versions_of_[size_t(versions_[size_t(read)].value)];
        if (std::ranges::any_of(
                versions, [&](int v) { return v != chain.waiting.version && is_alive_at(v, at); }))
            return true;
        if (const int kept = latest_before(versions, at);
            kept >= 0 && bytes(read) <= bytes(chain.waiting.version) / small_share) {
            if (last_[size_t(kept)] < place) chain.frees -= bytes(read);
            return true;
        }
        for (int v : versions) {
            const int maker = versions_[size_t(v)].maker;
            if (first_[size_t(v)] <= at || !instances_[size_t(maker)].is_copy) continue;
            if (std::ranges::find(chain.moved, maker) != chain.moved.end()) return true;
            const auto alive = [&](int r) {
                return is_alive_at(r, at) && r != chain.waiting.version;
            };
            if (!std::ranges::all_of(instances_[size_t(maker)].reads, alive)) continue;
            chain.moved.push_back(maker);
            return true;
        }
        return need(versions_[size_t(read)].maker, place, chain);
    }

    int latest_before(const std::vector<int>& versions, int at) const {
        int latest = -1;
        for (int v : versions)
            if (first_[size_t(v)] >= 0 && first_[size_t(v)] < at &&
                (latest < 0 || last_[size_t(v)] > last_[size_t(latest)]))
                latest = v;
        return latest;
    }

    /// The needed values, moved ones first: they read what is alive.
    static std::vector<int> needed_in_order(const Chain& chain) {
        std::vector<int> instances = chain.moved;
        instances.insert(instances.end(), chain.copied.begin(), chain.copied.end());
        return instances;
    }

    /// The version of the same value that a copy at `at` reads: of those just inserted, else alive,
    /// else the latest.
    int source_at(int read, int at, const std::vector<int>& inserted) const {
        if (versions_[size_t(read)].maker < 0) return read;
        const std::vector<int>& versions = versions_of_[size_t(versions_[size_t(read)].value)];
        for (int v : versions)
            if (std::ranges::find(inserted, versions_[size_t(v)].maker) != inserted.end()) return v;
        for (int v : versions)
            if (size_t(v) < first_.size() && is_alive_at(v, at)) return v;
        std::vector<int> known;
        std::ranges::copy_if(versions, std::back_inserter(known),
                             [&](int v) { return size_t(v) < first_.size(); });
        return latest_before(known, at);
    }

    /// Readers of `version` from place `at` on read what `copy` makes.
    void redirect(int version, int at, const Instance& copy) {
        const int value = versions_[size_t(version)].value;
        const int fresh = *std::ranges::find_if(
            copy.makes, [&](int v) { return versions_[size_t(v)].value == value; });
        for (size_t p = size_t(at); p < order_.size(); ++p)
            for (int& read : instances_[size_t(order_[p])].reads)
                if (read == version) read = fresh;
    }

    const MemoryModel* model_;
    std::vector<Instance> instances_;
    std::vector<Version> versions_;
    std::vector<std::vector<int>> versions_of_;  ///< The versions of each value.
    std::vector<int> order_;
    double more_seconds_ = 0;
    // By version.
    std::vector<int> first_, last_;
    std::vector<std::vector<int>> readers_;
    // By place.
    std::vector<int64_t> alive_;
    int64_t peak_ = 0;
};

/// The best change that leaves less above the budget, and nowhere more than before.
bool improve(Order& order, int64_t budget) {
    std::vector<Order::Chain> chains;
    for (const Order::Waiting& waiting : order.waiting_at_peak())
        if (std::optional<Order::Chain> chain = order.chain_for(waiting))
            chains.push_back(std::move(*chain));
    const auto worth = [](const Order::Chain& c) { return double(c.frees) / (c.seconds + 1e-6); };
    std::ranges::sort(
        chains, [&](const Order::Chain& a, const Order::Chain& b) { return worth(a) > worth(b); });
    if (chains.size() > most_tries) chains.resize(most_tries);
    for (const Order::Chain& chain : chains) {
        Order changed = order;
        changed.apply(chain);
        if (changed.peak() > order.peak() || changed.excess(budget) >= order.excess(budget))
            continue;
        order = std::move(changed);
        return true;
    }
    return false;
}

/// Brings an order under a goal that is at most `budget`, or a step towards it: far below what is
/// needed, every change looks alike. False if that cannot be done.
bool step_towards(Order& order, int64_t budget) {
    constexpr double share = 0.95;
    const int64_t goal = std::max(budget, int64_t(share * double(order.peak())));
    while (order.peak() > goal && improve(order, goal)) {
    }
    return order.peak() <= goal;
}

}  // namespace

MemoryPlan plan_in_order(const MemoryModel& model) { return Order(model).plan(); }

MemoryPlan plan_within(const MemoryModel& model, int64_t budget) {
    Order order(model);
    while (order.peak() > budget && step_towards(order, budget)) {
    }
    return order.plan();
}

MemoryPlan plan_cheaply(const MemoryModel& model, double share) {
    double seconds = 0;
    for (const MemoryModel::Step& step : model.steps) seconds += step.seconds;
    Order order(model), best = order;
    while (order.peak() > 0 && step_towards(order, 0) && order.more_seconds() <= share * seconds)
        best = order;
    return best.plan();
}

}  // namespace catena::passes
