#pragma once

#include "runtime/graph/op/op.h"

namespace catena {

struct Node;

/// The results as code without a region computes them: by a kernel, or by the body of a composite
/// that has none.
Variables perform_eagerly(const OpCall& call);

//---- its steps, of which other executors are made

/// Where the call runs: the device of its inputs, the current one without any. DeviceError where
/// they lie on several.
Device& call_device(const OpCall& call);
/// The results of the op's kernel, or its view. DeviceError where the device cannot compute it.
Variables run_kernel(const OpCall& call, Device& device);
/// ShapeError or DtypeError that names a composite with a rule for its types, rather than an
/// operation of its body.
void check_composite(const OpCall& call);
/// The results of the op's body, whose operations the thread's executor carries out.
Variables run_body(const OpCall& call);
/// Makes the node that backward() will visit for `outputs`, and returns it. Null where no gradient
/// is recorded; where one ends here, the outputs know that.
Node* connect(const OpCall& call, std::span<Variable> outputs);

}  // namespace catena
