#pragma once

namespace catena::tool {

/// Bytes a second of y = a + s * x over three arrays that take `bytes` together, read or written in all; the best of several
/// runs with one thread or all, and with ordinary or streaming stores. Small arrays are faster: they stay in the caches.
double bandwidth(double bytes);

}  // namespace catena::tool
