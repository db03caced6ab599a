#pragma once

#include <functional>
#include <string>
#include <vector>

namespace catena::cuda {

/// A library that may be missing, found at run time.
class SharedLibrary {
public:
    /// A function that says why a library that was opened should not be used; empty when it should.
    /// `find` gives its functions by name, null for none.
    using Refusal = std::function<std::string(const std::function<void*(const char*)>& find)>;

    /// Opens the first of cuda_library_files(variable, names) that exists and is not refused.
    SharedLibrary(const char* variable, const std::vector<std::string>& names,
                  const Refusal& refusal = {});

    /// Sets `function` to the library's function of that name; the first missing one becomes the
    /// complaint.
    template <class F>
    void bind(F*& function, const char* name) {
        function = reinterpret_cast<F*>(find(name));
    }
    /// The reason why the library cannot be used; empty when everything was found.
    const std::string& complaint() const { return complaint_; }

private:
    void* find(const char* name);

    void* handle_ = nullptr;
    std::string file_, complaint_;
};

}  // namespace catena::cuda
