#include "runtime/core/plugin/cuda_plug_in.h"

#include "runtime/core/plugin/plugin.h"

namespace catena {

const CudaPlugIn* cuda_plug_in(std::string& complaint) {
    const PlugIn& found = find_plug_in("cuda", "catena_cuda_plug_in_2", "CUDA",
                                       "build with a CUDA toolkit (CATENA_CUDA=ON)");
    if (!found.entry) {
        complaint = found.problem;
        return nullptr;
    }
    const CudaPlugIn* plug_in = reinterpret_cast<const CudaPlugIn* (*)()>(found.entry)();
    if (const char* text = plug_in->complaint()) {
        complaint = text;
        return nullptr;
    }
    return plug_in;
}

}  // namespace catena
