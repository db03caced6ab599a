#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/settings/autocast.h"
#include "runtime/graph/settings/config.h"

namespace catena::tool {

/// What products and convolutions can multiply: float32, tf32, bfloat16, float16.
std::vector<std::string> bench_dtypes();
/// Those that are measured on a device where none is named.
std::vector<std::string> device_bench_dtypes();
/// ValueError for another word, and for tf32 on the host.
void check_bench_dtype(const std::string& dtype, const std::string& device);

/// While one lives, products and convolutions multiply numbers of this dtype. float32 and tf32 set
/// whether factors may be rounded; bfloat16 and float16 are autocast and leave that as it is. An
/// empty word changes nothing.
class BenchDtype {
public:
    explicit BenchDtype(const std::string& dtype);

private:
    std::optional<ConfigScope<bool>> tf32_;
    std::optional<AutocastScope> casting_;
};

}  // namespace catena::tool
