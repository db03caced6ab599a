#pragma once

#include "benchmarks/workloads/workload.h"

namespace catena::tool {

/// The least time of one iteration of a workload on this machine, if nothing but its products, its
/// convolutions and the memory traffic took time: a lower bound that does not depend on how Catena
/// runs it.
struct Limit {
    /// Milliseconds of products and convolutions, each in the fastest form that was found for it.
    double library_ms = 0;
    /// Milliseconds of moving all other arrays once: see benchmarks/limit/traffic.h.
    double memory_ms = 0;
    /// Number of multiplications and additions of the products and convolutions.
    double product_operations = 0;
    double bytes = 0;  ///< Bytes moved in all, the operands of products and convolutions included.
    double ms() const { return library_ms + memory_ms; }
};

/// Measures the limit of one iteration; of the middle one where sizes change from one to the next.
/// Takes some seconds. Host only.
Limit limit_of(const Workload& workload);

/// The least time, in nanoseconds, that a number takes from one thread of the pool to another and
/// back; 0 where there is one thread, or the machine is too busy to tell. On a virtual machine it
/// shows where its processors are at the moment: some 60 to 140 if they share a cache, 400 if they
/// do not. In the second case data written by one thread reaches the other more slowly, but there
/// are more caches.
double exchange_nanoseconds();

}  // namespace catena::tool
