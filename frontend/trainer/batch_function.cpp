#include "frontend/trainer/batch_function.h"

#include <string>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena::detail {

std::shared_ptr<void> held(void* callable, void (*destroy)(void*)) try {
    return {callable, destroy};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("a function of a batch");
}
std::shared_ptr<void> referred_to(void* callable) { return {std::shared_ptr<void>(), callable}; }

void wrong_batch_size(size_t values, bool is_dict, unsigned counts) {
    if (is_dict)
        fail<ValueError>(
            "the batch is a dict of {} values, and a function of Variables does not know their "
            "names; give one that takes a "
            "const ct::Batch& and reads batch[\"x\"]",
            values);
    std::string taken;
    for (unsigned n = 1; counts >> n; ++n)
        if (counts >> n & 1) taken += fmt::format("{}{}", taken.empty() ? "" : " or ", n);
    fail<ValueError>(
        "the examples have {} values, but the function takes {}; give one that takes {} (a "
        "Classifier around a network takes "
        "the labels, too), or one that takes a const ct::Batch&",
        values, taken, values);
}

}  // namespace catena::detail
