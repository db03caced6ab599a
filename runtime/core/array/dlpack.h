#pragma once

#include "runtime/core/array/array.h"

// Of DLPack's dlpack.h, which need not be there: whoever looks into them includes it.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace catena {

// Arrays that other libraries (NumPy, PyTorch, JAX, CuPy, TVM) and Catena hand each other without a
// copy, by the structures of DLPack 1.0.

/// The array's elements as a tensor of DLPack, not copied: in memory of the host, with the array's
/// dtype, shape and strides. The memory is kept until the taker calls the tensor's deleter, on
/// whichever thread; meanwhile what the taker writes is seen here, and updates of a state that lies
/// there are seen by the taker. Inside a static region this is a host read. ValueError for an
/// undefined array and one whose memory may only be read, which this structure cannot say;
/// DeviceError for memory of a device.
///
///     DLManagedTensor* tensor = ct::to_dlpack(x);
///     torch::Tensor t = at::fromDLPack(tensor);
DLManagedTensor* to_dlpack(const Array& array);
/// The array as a tensor with a version (1.0) and flags, which also says that memory may only be
/// read.
DLManagedTensorVersioned* to_dlpack_versioned(const Array& array);

/// An array over the elements of a tensor of DLPack, not copied, which can only be read. The tensor
/// is taken: its deleter is called once, when the last array that shows the memory is gone (on
/// whichever thread that is), or before this throws. DeviceError for memory that is not the host's
/// (pinned memory is), DtypeError for a dtype that Catena lacks, ShapeError for more than 8 axes
/// and for negative sizes, ValueError for null and for elements that are not aligned.
Array from_dlpack(DLManagedTensor* tensor);
/// The array of a tensor with a version, which may be written to unless its flags say that it can
/// only be read. ValueError for another major version than 1.
Array from_dlpack(DLManagedTensorVersioned* tensor);

}  // namespace catena
