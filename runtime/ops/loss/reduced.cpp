#include "runtime/ops/loss/reduced.h"

#include <algorithm>

#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {

void check_reduce(const char* op, std::string_view reduce,
                  std::initializer_list<std::string_view> allowed) {
    if (std::find(allowed.begin(), allowed.end(), reduce) != allowed.end()) return;
    std::string list;
    for (size_t i = 0; i < allowed.size(); ++i)
        list += fmt::format("{}'{}'",
                            i == 0                   ? ""
                            : i + 1 < allowed.size() ? ", "
                                                     : " or ",
                            allowed.begin()[i]);
    fail<ValueError>("{}: reduce is '{}' and should be {}", op, reduce, list);
}

Variable reduced(const Variable& each, std::string_view reduce, Dtype narrow, int64_t count) {
    const Dtype dtype = autocast_dtype() == Dtype::float32 ? narrow : working_dtype(narrow);
    if (reduce == "no") return cast(each, dtype);
    const Variable total = sum(each);
    if (reduce == "sum") return cast(total, dtype);
    if (count < 0) count = each.size();
    return cast(total * (1.0 / double(std::max<int64_t>(count, 1))), dtype);
}

}  // namespace catena
