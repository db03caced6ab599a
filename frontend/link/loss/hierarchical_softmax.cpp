#include "frontend/link/loss/hierarchical_softmax.h"

namespace catena {

BinaryHierarchicalSoftmax::BinaryHierarchicalSoftmax(int64_t in_size, const BinaryTree& tree)
    : paths_(tree) {
    W = Parameter(initializers::Uniform(1.0), Shape{paths_.inner_nodes, in_size});
    add_param("W", W);
}

Variable BinaryHierarchicalSoftmax::operator()(const Operand& x, const Operand& t) {
    LocationScope scope(x.location());
    return called({&x.variable(), &t.variable()},
                  [&] { return binary_hierarchical_softmax(x, t, W, paths_); });
}

void BinaryHierarchicalSoftmax::move_states(Device& device) {
    paths_.nodes = paths_.nodes.to(device);
    paths_.codes = paths_.codes.to(device);
}

}  // namespace catena
