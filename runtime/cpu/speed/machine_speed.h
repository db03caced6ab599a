#pragma once

/// Speed limits of this machine, measured in this process when first asked for, with all its
/// threads.
namespace catena::profile {

/// The memory bandwidth, in bytes a second, of y = a + s * x over three arrays that take `bytes`
/// together, counting reads and writes. It is the best of several runs with one thread or all, and
/// with ordinary or streaming stores. Small arrays are faster because they stay in the caches.
/// Measured once for each power of two.
double bandwidth(double bytes);

/// The number of multiplications and additions a second in a product of large float32 matrices, the
/// best of several runs.
double product_speed();

/// The least time, in seconds, of a launch that moves so many bytes and does so many
/// multiplications and additions of products. `program_bytes`, the traffic of the whole program,
/// decides which bandwidth counts, as it is unknown which arrays stay in a cache.
double least_seconds(double bytes, double product_operations, double program_bytes);

}  // namespace catena::profile
