#pragma once

/// What the host's memory can do, measured in this process with all its threads;
/// runtime/profile/ceilings.h keeps it for others.
namespace catena::profile {

/// The memory bandwidth, in bytes a second, of y = a + s * x over three arrays that take `bytes`
/// together, counting reads and writes. It is the best of several runs with one thread or all, and
/// with ordinary or streaming stores. Small arrays are faster because they stay in the caches.
/// Measured once for each power of two.
double bandwidth(double bytes);

}  // namespace catena::profile
