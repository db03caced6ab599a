#pragma once

/// What this machine can do at most, measured in this process when first asked for, with all its
/// threads.
namespace catena::profile {

/// Bytes a second of y = a + s * x over three arrays that take `bytes` together, read or written in
/// all; the best of several runs with one thread or all, and with ordinary or streaming stores.
/// Small arrays are faster: they stay in the caches. Measured once for each power of two.
double bandwidth(double bytes);

/// Multiplications and additions a second of a product of large float32 matrices, the fastest of
/// several.
double product_speed();

/// The least seconds of what moves so many bytes and does so many multiplications and additions of
/// products, in a program that moves `program_bytes` in all: which of its arrays stay in a cache is
/// not known.
double least_seconds(double bytes, double product_operations, double program_bytes);

}  // namespace catena::profile
