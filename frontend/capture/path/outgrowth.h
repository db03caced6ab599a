#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace catena::capture {

/// What one call has found out at a place of the tree, for all calls that come there: it lives as
/// long as the tree, which knows nothing of it but its kind and its size. A type that derives from
/// this one names its kind in a constant `kind`.
struct Outgrowth {
    /// The graph of results of code that ends at the place; a backward, or the body of a composite,
    /// that begins there.
    enum class Kind : uint8_t { graph, walk, body };
    static constexpr size_t kinds = 3;

    virtual ~Outgrowth() = default;
    virtual size_t bytes() const = 0;
    std::atomic<Outgrowth*> sibling{nullptr};
};

}  // namespace catena::capture
