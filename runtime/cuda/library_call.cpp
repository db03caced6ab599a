#include "runtime/cuda/library_call.h"

#include "runtime/core/system/environment.h"
#include "runtime/core/system/notice.h"
#include "runtime/profile/method_span.h"
#include "runtime/program/schedule/product_type.h"

namespace catena::cuda {

void note_decline(const LibraryPlace& place, const KernelCall& call, const std::string& reason,
                  const char* instead) {
    std::string types;
    for (const Array& x : call.inputs) types += (types.empty() ? "" : ", ") + to_string(x.type());
    notice_once(fmt::format("{}: {}({}): {}; {} runs instead", place.device.name(), call.op.name,
                            types, reason, instead));
}

void tell_library_method(std::string method, size_t workspace, bool tf32) {
    if (workspace > 0)
        method += fmt::format(", workspace {:.1f} MiB", double(workspace) / (1 << 20));
    if (tf32) method += program::tf32_method;
    profile::tell_method("library call", method);
}

void note_missing(const LibraryPlace& place, const char* variable, const std::string& complaint,
                  const char* what) {
    if (environment::text(variable) != "/none")
        notice_once(fmt::format("{}: {}; {}", place.device.name(), complaint, what));
}

}  // namespace catena::cuda
