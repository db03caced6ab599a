#include "tools/catena/bench/dtype.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "runtime/core/dtype/dtype.h"
#include "runtime/core/system/error.h"

namespace catena::tool {

std::vector<std::string> bench_dtypes() { return {"float32", "tf32", "bfloat16", "float16"}; }

std::vector<std::string> device_bench_dtypes() { return {"float32", "tf32", "bfloat16"}; }

void check_bench_dtype(const std::string& dtype, const std::string& device) {
    const std::vector<std::string> all = bench_dtypes();
    if (std::ranges::find(all, dtype) == all.end())
        fail<ValueError>("bench: --dtype takes {}, not '{}'", fmt::join(all, ", "), dtype);
    if (dtype == "tf32" && device == "cpu")
        fail<ValueError>("bench: tf32 is how devices multiply float32; the device is cpu");
}

BenchDtype::BenchDtype(const std::string& dtype) {
    if (dtype == "float32" || dtype == "tf32") tf32_.emplace(&Config::tf32, dtype == "tf32");
    if (dtype == "bfloat16" || dtype == "float16") casting_.emplace(parse_dtype(dtype));
}

}  // namespace catena::tool
