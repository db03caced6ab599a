#pragma once

#include "benchmarks/workloads/workload.h"

namespace catena::tool {

/// What one iteration of a workload would take on this machine if nothing but its products, its
/// convolutions and the memory cost time: a lower bound that does not depend on how Catena runs it.
struct Limit {
    double library_ms =
        0;  ///< Products and convolutions, each in the fastest form that was found for it.
    double memory_ms = 0;  ///< All other arrays moved once: see benchmarks/limit/traffic.h.
    double product_operations =
        0;             ///< Multiplications and additions of the products and convolutions.
    double bytes = 0;  ///< Moved in all, the operands of products and convolutions included.
    double ms() const { return library_ms + memory_ms; }
};

/// Of one iteration; of the middle one where sizes change from one to the next. Takes some seconds.
/// Host only.
Limit limit_of(const Workload& workload);

/// How long a number takes from one thread of the pool to another and back, at least; 0 where there
/// is one thread, or the machine is too busy to tell. On a virtual machine this is where its
/// processors are at the moment: some 60 to 140 where they share a cache, 400 where they do not.
/// Then what one thread writes reaches the other more slowly, but there are more caches.
double exchange_nanoseconds();

}  // namespace catena::tool
