#pragma once

#include <string>
#include <vector>

#include "runtime/cuda/driver.h"

namespace catena::testing {

/// A double of the CUDA driver that keeps what it was asked: memory is the host's, copies are done
/// at once, kernels are noted and not run. In the driver's place while it lives; one at a time.
class RecordingDriver {
public:
    RecordingDriver();
    ~RecordingDriver();
    RecordingDriver(const RecordingDriver&) = delete;

    std::vector<std::string> calls;   ///< "cuMemAlloc 4096", in order.
    std::string failing;              ///< The next call of this name ...
    CUresult failure = CUDA_SUCCESS;  ///< ... gives this.
    size_t memory_left = size_t(1) << 30;
    bool connected = true;  ///< Devices reach each other's memory.
    float now = 0;  ///< In milliseconds, the time of events that are recorded; recording one takes
                    ///< one more.
    bool busy = false;  ///< Events are not reached until somebody waits for them.

    void set_version(int version) { table_.version = version; }  ///< 13000 before.
    int count(const std::string& beginning) const;               ///< Calls whose text begins so.

private:
    cuda::Driver table_;
};

}  // namespace catena::testing
