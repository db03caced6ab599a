#pragma once

#include <span>
#include <string>

#include "frontend/capture/graph_end.h"

namespace catena::capture {

/// The gradient of results whose graph was consumed by a backward inside their region: an error that says so.
class UsedUp final : public RegionGradient {
public:
    UsedUp(std::string region, Reach reach) : region_(std::move(region)), reach_(std::move(reach)) {}
    static void* operator new(size_t bytes);
    static void operator delete(void* used_up);
    Variables gradient(Node&, std::span<const Variable>) override { refuse(); }
    std::vector<Edge> expand(Node&) override { refuse(); }
    bool is_expandable() const override { return false; }
    bool reaches(int output, int edge) const override { return reach_.border(output, edge); }

private:
    [[noreturn]] void refuse() const;
    const std::string region_;
    const Reach reach_;
};

}  // namespace catena::capture
