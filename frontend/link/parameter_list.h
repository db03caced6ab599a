#pragma once

#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/link/link.h"

namespace catena {

/// A link made of parameters that belong to no other link, such as those of modules of another
/// language. It shares their identity, content, gradient and update flag; they may have no shape
/// yet, and need not outlive it. It is neither copied nor moved.
class ParameterList final : public Link {
public:
    ParameterList() = default;
    ParameterList(const ParameterList&) = delete;
    ParameterList& operator=(const ParameterList&) = delete;
    /// Adds a parameter under its path, "/l1/W" or "l1/W". ValueError when there is one of that
    /// path, or it is empty.
    void add(std::string_view path, const Parameter& param);
    /// The parameters in the order in which they were added.
    std::span<const std::pair<std::string, Parameter*>> in_order() const { return in_order_; }

private:
    std::deque<Parameter> shared_;
    std::vector<std::pair<std::string, Parameter*>> in_order_;
};

}  // namespace catena
