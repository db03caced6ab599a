#include "frontend/trainer/batch_function.h"

#include "runtime/core/error.h"

namespace catena::detail {

void wrong_batch_size(size_t values, bool is_dict) {
    if (is_dict) fail<ValueError>("a batch that is a dict needs a function that takes a const ct::Batch&");
    fail<ValueError>("the batch has {} values, but the function does not take so many arguments", values);
}

}  // namespace catena::detail
