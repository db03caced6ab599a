// What an optimizer says of parameters that it would lose.
#include <algorithm>
#include <unordered_set>

#include <fmt/ranges.h>

#include "frontend/optimizer/optimizer.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/notice.h"

namespace catena {
namespace {

/// Some of the names, and how many more there are.
std::string some_of(std::span<const std::string> names) {
    constexpr size_t shown = 4;
    std::string text =
        fmt::format("{}", fmt::join(names.first(std::min(shown, names.size())), ", "));
    if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

}  // namespace

/// Parameters that are updated without being used, or used without being updated, would be lost
/// unnoticed.
void Optimizer::check_slots() {
    const Link& link = target();
    if (std::exchange(checked_at_, Part::changes()) == Part::changes()) return;
    std::unordered_set<const VariableBody*> present;
    for (const Parameter* param : link.params()) present.insert(param->body());
    std::string gone;
    for (const UpdateSlot& slot : slots_)
        if (present.erase(slot.param.body()) == 0) gone += (gone.empty() ? "" : ", ") + slot.path;
    if (!gone.empty()) {
        checked_at_ = 0;
        fail<ValueError>(
            "{}: update: {} of {} became another parameter, or none, after setup(): it would not "
            "be trained. Call setup() again; or assign to the layer or the parameter, which keeps "
            "it",
            type_name(), gone, link.type_name());
    }
    if (present.empty()) return;
    for (auto& [path, param] : link.namedparams())
        if (present.contains(param->body()))
            notice_once(
                fmt::format("{}: {} of {} was not there at setup(), so it is not trained; "
                            "call setup() again",
                            type_name(), path, link.type_name()));
}

/// Tells of parameters that are not updated: in the first update, and whenever there is nothing to
/// update with.
void Optimizer::say_what_is_not_updated(std::span<UpdateSlot* const> active) {
    const std::string link = target().type_name();
    const std::string whose = list_ ? "that setup() was given" : "of " + link;
    std::vector<std::string> without;
    for (const UpdateSlot& slot : slots_)
        if (*slot.enabled && !slot.is_active()) without.push_back(slot.path);
    if (active.empty() && !without.empty())
        notice_once(fmt::format(
            "{}: update: no parameter {} has a gradient, so none is changed; call backward() of a "
            "loss that was computed from them",
            type_name(), whose));
    else if (!without.empty())
        notice_once(
            fmt::format("{}: update: no gradient has reached {} {}, so they stay as they are",
                        type_name(), some_of(without), whose));
    if (first_update_ && !untrained_parameters().empty())
        notice_once(fmt::format(
            "{}: update: gradients have reached parameters that no optimizer has, so they are not "
            "trained: {}. If {}",
            type_name(), some_of(untrained_parameters()),
            list_ ? "they should be, give them to setup() or add_params(), too"
                  : link + " should have them, list their links with add_child, or hold them in a "
                           "ChainList"));
    first_update_.reset();
}

}  // namespace catena
