#include "benchmarks/workloads/workload.h"

#include <algorithm>

#include "runtime/core/system/error.h"

namespace catena::tool {

namespace {

struct VariantWords {
    Variant variant;
    const char* name;
    const char* meaning;
};

constexpr VariantWords variant_words[] = {
    {Variant::eager, "eager", "nothing is compiled: each operation runs when it is called"},
    {Variant::compiled, "compiled",
     "the model's call is a compiled region; loss, backward() and update are called outside"},
    {Variant::step, "step",
     "the whole iteration is one compiled region; of inference, the same as compiled"},
    {Variant::trusted, "trusted",
     "as step, but later calls do not run the C++ code (Audit::never)"}};

const VariantWords& words_of(Variant variant) {
    return *std::ranges::find(variant_words, variant, &VariantWords::variant);
}

}  // namespace

const std::vector<Variant>& all_variants() {
    static const std::vector<Variant> all = [] {
        std::vector<Variant> found;
        for (const VariantWords& words : variant_words) found.push_back(words.variant);
        return found;
    }();
    return all;
}

const char* name_of(Variant variant) { return words_of(variant).name; }
const char* meaning_of(Variant variant) { return words_of(variant).meaning; }

size_t& workload_memory_budget() {
    static size_t bytes = 0;
    return bytes;
}

Variant parse_variant(const std::string& name) {
    std::string names;
    for (Variant variant : all_variants()) {
        if (name == name_of(variant)) return variant;
        names += (names.empty() ? "" : ", ") + std::string(name_of(variant));
    }
    fail<ValueError>("bench: no variant {}; there are {}", name, names);
}

int64_t divided(int64_t size, int64_t divisor) {
    return std::max(size / divisor, std::min<int64_t>(size, 2));
}

}  // namespace catena::tool
