#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/cuda/cudnn/cudnn.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::testing {

/// A double of cuDNN's graph interface that keeps what it was asked and computes operations on the
/// host, from the descriptors alone. It refuses what the library refuses: attributes of what is
/// finalized, descriptors that are not. In the library's place while it lives; one at a time.
class RecordingCudnn {
public:
    RecordingCudnn();
    ~RecordingCudnn();
    RecordingCudnn(const RecordingCudnn&) = delete;

    /// What the heuristics of a mode name, in their order.
    struct Engine {
        int64_t index;
        std::vector<cudnnBackendNumericalNote_t> notes = {};
        int64_t workspace = 0;
        bool works = true;      ///< Otherwise plans of it cannot be made.
        bool compiled = false;  ///< At run time.
        cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
        float milliseconds = 0;  ///< That it takes.
    };
    std::vector<Engine> engines;
    std::function<void(float milliseconds)> pass_time = [](float) {};
    bool takes_views = true;  ///< Otherwise heuristics know nothing of tensors with gaps.

    std::vector<std::string> calls;
    int64_t refused = -1;  ///< Plans of this engine are made and not executed.
    std::string failing;   ///< Calls of this name fail,
    cudnnStatus_t failure = CUDNN_STATUS_EXECUTION_FAILED;  ///< so.
    int count(const std::string& beginning) const;
    std::string last(const std::string& beginning) const;
    size_t living() const { return descriptors_.size(); }  ///< Descriptors that were not destroyed.

private:
    friend struct DoubleOfCudnn;
    struct Described;

    cuda::Cudnn table_;
    std::set<std::unique_ptr<Described>> descriptors_;
};

}  // namespace catena::testing

#endif
