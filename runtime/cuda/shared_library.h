#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::cuda {

/// A library that may be missing, found at run time.
class SharedLibrary {
public:
    /// Why a library that was opened is not the one to use; empty when it is. `find` gives its
    /// entries, null for none.
    using Refusal = std::function<std::string(const std::function<void*(const char*)>& find)>;

    /// Takes the first of cuda_library_files(variable, names) that can be opened and is not
    /// refused.
    SharedLibrary(const char* variable, const std::vector<std::string>& names,
                  const Refusal& refusal = {});

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
