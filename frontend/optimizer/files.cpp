// What an optimizer saves and loads.
#include <algorithm>

#include <fmt/core.h>

#include "frontend/optimizer/masters.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/optimizer/parts.h"
#include "frontend/serializer/serializer.h"
#include "runtime/graph/call/assign.h"
#include "runtime/graph/call/code_changes.h"

namespace catena {
namespace {

bool has_any(const Serializer& s, std::span<const std::string> keys) {
    return std::ranges::any_of(keys, [&](const std::string& key) { return s.has(key); });
}

void check_moment(const Serializer& s, const std::string& name, const Array& moment,
                  const Shape& shape) {
    if (moment.shape() != shape)
        s.wrong(name, fmt::format("has shape {}, its parameter {}", to_string(moment.shape()),
                                  to_string(shape)));
}

}  // namespace

void Optimizer::serialize(const Serializer& s) {
    target();
    int64_t t = this->t();
    if (!s.loading()) {
        s("t", t);
    } else if (Array array = s.read("t"); array.defined()) {
        if (array.size() != 1)
            s.wrong("t", fmt::format("is {}, one integer is expected", to_string(array.type())));
        s.later([this, loaded = s.converted("t", array, Dtype::int64).item<int64_t>()] {
            set_step_count(loaded);
        });
    }
    s("epoch", epoch_);
    if (exchange_) exchange_->serialize(s["gradient_exchange"]);
    if (s.loading()) s.later(note_code_change);  // Moments may be others, or gone.
    for (UpdateSlot& slot : slots_) {
        if (!s.loading()) {
            save_slot(s, slot, t);
            continue;
        }
        load_master(s[slot.path], slot);
        const bool has_moments = load_moments(s, slot);
        s.later([&slot, has_moments] { take_loaded(slot, has_moments); });
    }
}

void Optimizer::save_slot(const Serializer& s, const UpdateSlot& slot, int64_t t) {
    Serializer part = s[slot.path];
    const SavedSlot saved = whole_of(slot, exchange_.get());
    const std::vector<std::string> names = rule_of(slot).moment_names();
    const bool was_updated = saved.moments.size() == names.size();
    int64_t updates = was_updated ? t : 0;
    part("t", updates);
    // Chainer asks for the moments of every parameter, and begins with new ones where they are
    // None.
    for (size_t i = 0; i < names.size(); ++i)
        part.write(names[i], was_updated ? saved.moments[i] : Array());
    if (slot.use_fp32 && saved.master.defined()) part.write(master_key, saved.master);
}

/// Frozen, or never updated. Older files have the optimizer's count for every parameter: in them
/// one has no moments, although others of its formula do, because it never had a gradient.
bool Optimizer::may_lack_moments(const Serializer& s, const UpdateSlot& slot,
                                 std::span<const std::string> names) const {
    const Serializer part = s[slot.path];
    if (!*slot.enabled) return true;
    if (!part.has("t")) return false;
    if (part.get("t", int64_t(0)) == 0) return true;
    return std::ranges::any_of(slots_, [&](const UpdateSlot& other) {
        return other.rule == slot.rule && has_any(s[other.path], names);
    });
}

/// False: the file has none, and those that are there stay.
bool Optimizer::load_moments(const Serializer& s, UpdateSlot& slot) {
    const Serializer part = s[slot.path];
    const std::vector<std::string> names = rule_of(slot).moment_names();
    if (!has_any(part, names) && may_lack_moments(s, slot, names))
        return s.later([&slot] { slot.moments.clear(); }), true;
    const bool is_known = slot.param.array().defined();
    const bool is_alike = rule_of(slot).has_moments_like_parameters();
    std::vector<Array> moments;
    for (const std::string& name : names) {
        const Array array = part.read(name);
        if (!array.defined()) {
            const bool has_none = part.has(name);
            if (has_none) s.later([&slot] { slot.moments.clear(); });
            return has_none;
        }
        moments.push_back(is_known ? part.converted(name, array, slot.update_dtype()) : array);
        if (is_alike)
            check_moment(part, name, array, is_known ? slot.param.shape() : moments[0].shape());
    }
    s.later([&slot, part, moments, names, is_alike] {
        slot.moments.resize(moments.size());
        for (size_t i = 0; i < moments.size(); ++i) {
            // A parameter without a shape may have got one from the same file by now.
            const bool is_known = slot.param.array().defined();
            if (is_known && is_alike) check_moment(part, names[i], moments[i], slot.param.shape());
            update_content(slot.moments[i],
                           is_known ? moments[i].to(slot.param.device()) : moments[i]);
            slot.moments[i].set_name(slot.path + "/" + names[i]);
        }
    });
    return true;
}

}  // namespace catena
