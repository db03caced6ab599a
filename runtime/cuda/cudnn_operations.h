#pragma once

#include "runtime/cuda/cudnn_plan.h"

#ifdef CATENA_HAS_CUDNN

#include "runtime/ops/declare/library_role.h"

namespace catena::cuda {

/// The arrays of a call as tensors of cuDNN's; tensor i has the id i.
using Operands = std::vector<Array>;

std::optional<cudnnDataType_t> cudnn_type_of(Dtype dtype);
/// The largest power of two up to 16 that divides the address.
int64_t alignment_of(const Array& array);
/// Whether cuDNN can read the array where it lies: no element is repeated, none runs backwards.
bool is_described_by_steps(const Array& array);
Descriptor tensor_of(int64_t id, const Array& array);
/// One number of dtype that lies on the host.
Descriptor number_tensor(int64_t id, Dtype dtype, int rank);

/// Where the operands lie; `number`, on the host, is the tensor after them, where there is one.
std::vector<Binding> bindings_of(const Operands& operands, void* number = nullptr);

bool is_window_role(LibraryRole role);  ///< Of convolutions and pooling.
/// By types and attributes.
bool takes_windows(const KernelCall& call);
/// x, W, y of a convolution, x, y of pooling, whichever of them the call computes; images of one
/// axis get a second.
Operands window_operands(const KernelCall& call);
Operation window_operation(LibraryRole role, const Operands& operands,
                           const Attributes& attributes);

bool is_normalization_role(LibraryRole role);
bool takes_normalization(const KernelCall& call);
/// x, y, mean, 1 / deviation, gamma, beta; or x, gy, gx, mean, 1 / deviation, gamma, ggamma, gbeta:
/// images as [outer, keys, inner, 1], the others as [1, keys, 1, 1]. The number with the id after
/// the last is epsilon.
Operands normalization_operands(const KernelCall& call, const Array& inverse_deviation);
Operation normalization_operation(LibraryRole role, const Operands& operands);

}  // namespace catena::cuda

#endif
