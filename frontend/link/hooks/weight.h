#pragma once

#include <string>
#include <string_view>

#include "frontend/link/link_hook.h"

namespace catena::link_hooks {

/// A hook that computes a parameter of its link anew for every call. It belongs to one link:
/// ValueError in a scope, and for a link without that parameter, whose parameters are named.
class WeightHook : public LinkHook {
public:
    void added(Link* link) override;
    void forward_preprocess(LinkCall& call) override;

protected:
    explicit WeightHook(std::string weight_name) : weight_name_(std::move(weight_name)) {}
    const std::string& weight_name() const { return weight_name_; }
    Parameter& weight_of(Link& link) const;
    /// The value that the parameter has during this call.
    virtual Variable weight_for_call(Link& link, Parameter& weight) = 0;

private:
    std::string weight_name_;
};

}  // namespace catena::link_hooks
