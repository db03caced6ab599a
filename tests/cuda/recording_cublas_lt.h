#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/cublas_lt.h"

namespace catena::testing {

#ifdef CATENA_HAS_CUBLAS_LT
/// A double of cuBLASLt that keeps what it was asked and multiplies on the host, by columns as the
/// library does. In the library's place while it lives; one at a time.
class RecordingCublasLt {
public:
    RecordingCublasLt();
    ~RecordingCublasLt();
    RecordingCublasLt(const RecordingCublasLt&) = delete;

    std::vector<std::string> calls;
    bool knows_a_way = true;        ///< Otherwise the heuristics find no algorithm.
    size_t workspace = 4096;        ///< That the algorithm wants.
    std::string failing;            ///< Calls of this name fail.
    cudaStream_t stream = nullptr;  ///< Of the last product.
    std::vector<std::shared_ptr<void>> descriptors;  ///< That it has handed out.
    int count(const std::string& beginning) const;
    std::string last(const std::string& beginning) const;

private:
    cuda::CublasLt table_;
};
#endif

}  // namespace catena::testing
