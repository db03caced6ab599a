#pragma once

#include <string>
#include <vector>

namespace catena::cuda {

/// A library that may be missing, found at run time.
class SharedLibrary {
public:
    /// Tries the file that the environment variable names, alone, else `names` as the loader finds them, then below
    /// CUDA_HOME and /usr/local/cuda.
    SharedLibrary(const char* variable, const std::vector<std::string>& names);

    /// Sets `function`; the first that is not there is the complaint.
    template <class F>
    void bind(F*& function, const char* name) {
        function = reinterpret_cast<F*>(find(name));
    }
    const std::string& complaint() const { return complaint_; }  ///< Empty when all was found.

private:
    void* find(const char* name);

    void* handle_ = nullptr;
    std::string file_, complaint_;
};

}  // namespace catena::cuda
