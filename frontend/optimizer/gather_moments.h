#pragma once

namespace catena {

class Optimizer;

/// Whether this rank has moments, masters or, with double buffering, mean gradients of parts.
bool has_parts(Optimizer& optimizer);

/// Gathers the moments, masters and mean gradients of which each rank has a part, so that one rank
/// alone can save the optimizer; the next update cuts them again. Call it on all ranks, between
/// updates, outside of static regions; no effect on an optimizer that is not sharded.
void gather_moments(Optimizer& optimizer);

}  // namespace catena
