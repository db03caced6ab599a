#include "runtime/cpu/onednn/packed.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <vector>

#include "runtime/core/array/derived_forms.h"
#include "runtime/core/memory/memory_pool.h"
#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"

namespace catena::onednn {
namespace {

/// A training step reads weights up to four times between two changes (forward and backward, twice
/// in adversarial training): those are not kept.
constexpr int uses_before_keeping = 4;

struct Form {
    int64_t byte_offset;  ///< The place of the packed part in the storage, in bytes.
    WeightForm kind;
    dnnl::memory::desc from, to;
    Array packed = {};
    uint64_t checksum = 0;

    bool is_for_the_same(const Form& other) const {
        return byte_offset == other.byte_offset && kind == other.kind && to == other.to &&
               from == other.from;
    }
};

struct Forms : DerivedForms {
    std::vector<Form> forms;
};

bool is_on() {
    static const bool on = environment::flag("CATENA_PACKED_WEIGHTS", true);
    return on;
}

/// Whether every use checks that the elements are those that were packed.
bool is_checked() {
    static const bool checked = environment::flag("CATENA_CHECK_PACKED", false);
    return checked;
}

uint64_t checksum_of(const Array& array) {
    const int64_t count = array.size() * int64_t(size_of(array.dtype()) / 2);
    const auto* words = static_cast<const uint16_t*>(array.elements());
    return std::accumulate(words, words + count, uint64_t(count), [](uint64_t sum, uint16_t word) {
        return (sum ^ word) * 0x9E3779B97F4A7C15u;
    });
}

std::atomic<int64_t> uses = 0;

// Both under derived_forms_mutex(), which is held for a search only.

Form* find(Storage& storage, const Form& wanted) {
    auto* kept = static_cast<Forms*>(storage.forms.load());
    if (!kept) return nullptr;
    const auto found = std::ranges::find_if(
        kept->forms, [&](const Form& form) { return form.is_for_the_same(wanted); });
    return found == kept->forms.end() ? nullptr : &*found;
}

void keep(Storage& storage, Form form) {
    if (find(storage, form)) return;  // Another thread was faster.
    if (!storage.forms) storage.forms = new Forms;
    static_cast<Forms*>(storage.forms.load())->forms.push_back(std::move(form));
}

void check(const Form& form, const Array& array) {
    if (form.checksum == checksum_of(array)) return;
    throw InternalError(
        "packed weights: the elements changed, but nobody said so (Storage::will_change)");
}

}  // namespace

int64_t packed_uses() { return uses; }

Array form_if_kept(const Array& array, WeightForm kind, const dnnl::memory::desc& from,
                   const dnnl::memory::desc& to, const std::function<Array()>& derive) {
    const void* elements = array.elements();
    Storage* storage = array.storage().get();
    if (storage->lender) storage = storage->lender;
    if (storage->is_exposed || storage->is_held() || !is_on()) return Array();

    Form form{static_cast<const char*>(elements) - static_cast<const char*>(storage->data), kind,
              from, to};
    {
        std::lock_guard lock(derived_forms_mutex());
        if (const Form* known = find(*storage, form)) {
            if (is_checked()) check(*known, array);
            ++uses;
            return known->packed;
        }
        if (storage->derivations < uses_before_keeping) {
            ++storage->derivations;  // May be too few where threads meet, which only delays.
            return Array();
        }
    }
    {
        const LongLivedMemory stays;
        form.packed = derive();
    }
    if (is_checked()) form.checksum = checksum_of(array);
    std::lock_guard lock(derived_forms_mutex());
    keep(*storage, form);
    return form.packed;
}

Array kept_form(const Array& array, WeightForm kind, const dnnl::memory::desc& from,
                const dnnl::memory::desc& to, const std::function<Array()>& derive) {
    const Array kept = form_if_kept(array, kind, from, to, derive);
    return kept.defined() ? kept : derive();
}

}  // namespace catena::onednn
