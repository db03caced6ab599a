#pragma once

#include "runtime/cuda/cudnn/cudnn_plan.h"

#ifdef CATENA_HAS_CUDNN

#include "runtime/ops/declare/library_role.h"

namespace catena::cuda {

/// The arrays of a call as cuDNN's tensors; tensor i has the id i.
using Operands = std::vector<Array>;

std::optional<cudnnDataType_t> cudnn_type_of(Dtype dtype);
/// The largest power of two up to 16 that divides the address.
int64_t alignment_of(const Array& array);
/// Whether cuDNN can read the array where it is: no element is repeated, and no stride is negative.
bool is_described_by_steps(const Array& array);
Descriptor tensor_of(int64_t id, const Array& array);
/// A tensor of one number of dtype that is in host memory.
Descriptor number_tensor(int64_t id, Dtype dtype, int rank);

/// The addresses of the operands; `number`, on the host, is the tensor after them, if there is one.
std::vector<Binding> bindings_of(const Operands& operands, void* number = nullptr);

bool is_window_role(LibraryRole role);  ///< Whether the role is a convolution or pooling.
/// Whether cuDNN can compute the call, by its types and attributes.
bool takes_windows(const KernelCall& call);
/// The operands x, W, y of a convolution or x, y of pooling, whichever of them the call computes;
/// images of one axis get a second.
Operands window_operands(const KernelCall& call);
Operation window_operation(LibraryRole role, const Operands& operands,
                           const Attributes& attributes);

bool is_normalization_role(LibraryRole role);
bool takes_normalization(const KernelCall& call);
/// The operands of batch normalization as cuDNN's tensors: x, y, mean, 1 / deviation, gamma, beta;
/// or x, gy, gx, mean, 1 / deviation, gamma, ggamma, gbeta. Images are [outer, keys, inner, 1], the
/// others [1, keys, 1, 1]. The number with the id after the last is epsilon.
Operands normalization_operands(const KernelCall& call, const Array& inverse_deviation);
Operation normalization_operation(LibraryRole role, const Operands& operands);

}  // namespace catena::cuda

#endif
