#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontend/capture/graph/reach.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/variable/variable.h"

namespace catena::capture {

/// The gradient of results whose graph a backward inside their region has consumed: it throws an
/// error that says so.
class UsedUp final : public RegionGradient {
public:
    /// `ranks`: the depths in the graph of the nodes of several results; empty for one result.
    UsedUp(std::string region, Reach reach, std::vector<int64_t> ranks = {})
        : region_(std::move(region)), reach_(std::move(reach)), ranks_(std::move(ranks)) {}
    static void* operator new(size_t bytes);
    static void operator delete(void* used_up);
    Variables gradient(Node&, std::span<const Variable>) override { refuse(); }
    std::vector<Edge> expand(Node&) override { refuse(); }
    bool is_expandable() const override { return false; }
    /// Whether `output` may have been computed from `other`. If so, a gradient towards `other` is
    /// this error instead of none.
    bool is_computed_from(int output, int other) const override {
        return !ranks_.empty() && ranks_[size_t(output)] > ranks_[size_t(other)];
    }
    bool reaches(int output, int edge) const override { return reach_.border(output, edge); }

private:
    [[noreturn]] void refuse() const;
    const std::string region_;
    const Reach reach_;
    const std::vector<int64_t> ranks_;
};

}  // namespace catena::capture
