#include "runtime/cpu/packed.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <vector>

#include "runtime/core/environment.h"
#include "runtime/core/error.h"

namespace catena::onednn {
namespace {

/// A training step reads weights up to four times between two changes (forward and backward, twice in adversarial
/// training): those are not kept.
constexpr int uses_before_keeping = 4;

struct Form {
    int64_t byte_offset;  ///< In the storage.
    dnnl::memory::desc from, to;
    Array packed;
    uint64_t checksum = 0;
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

uint64_t checksum_of(const void* data, int64_t count) {
    const auto* words = static_cast<const uint32_t*>(data);
    return std::accumulate(words, words + count, uint64_t(count),
                           [](uint64_t sum, uint32_t word) { return (sum ^ word) * 0x9E3779B97F4A7C15u; });
}

std::atomic<int64_t> uses = 0;

// Both under Storage::forms_mutex(), which is held for a search only.

Form* find(Storage& storage, int64_t byte_offset, const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
    auto* kept = static_cast<Forms*>(storage.forms.load());
    if (!kept) return nullptr;
    const auto found = std::ranges::find_if(kept->forms, [&](const Form& form) {
        return form.byte_offset == byte_offset && form.to == to && form.from == from;
    });
    return found == kept->forms.end() ? nullptr : &*found;
}

void keep(Storage& storage, Form form) {
    if (find(storage, form.byte_offset, form.from, form.to)) return;  // Another thread was faster.
    if (!storage.forms) storage.forms = new Forms;
    static_cast<Forms*>(storage.forms.load())->forms.push_back(std::move(form));
}

void check(const Form& form, const float* elements, int64_t count) {
    if (form.checksum == checksum_of(elements, count)) return;
    throw InternalError("packed weights: the elements changed, but nobody said so (Storage::will_change)");
}

}  // namespace

int64_t packed_uses() { return uses; }

dnnl::memory open_packed(const Tensor& tensor, const Array& array, Array& held) {
    const auto* elements = static_cast<const float*>(array.elements());
    Storage* storage = array.storage().get();
    if (storage->lender) storage = storage->lender;
    if (!tensor.is_converted() || storage->is_exposed || !is_on()) return tensor.open(elements, held);

    const int64_t byte_offset = reinterpret_cast<const char*>(elements) - static_cast<const char*>(storage->data);
    bool keeps = false;
    {
        std::lock_guard lock(Storage::forms_mutex());
        if (const Form* form = find(*storage, byte_offset, tensor.ours(), tensor.theirs())) {
            if (is_checked()) check(*form, elements, array.size());
            held = form->packed;
            ++uses;
            return memory(form->to, held.elements());
        }
        keeps = storage->derivations >= uses_before_keeping;
        if (!keeps) ++storage->derivations;  // May be too few where threads meet, which only delays.
    }
    const dnnl::memory opened = tensor.open(elements, held);
    if (keeps) {
        stream().wait();
        std::lock_guard lock(Storage::forms_mutex());
        keep(*storage, {byte_offset, tensor.ours(), tensor.theirs(), held,
                        is_checked() ? checksum_of(elements, array.size()) : 0});
    }
    return opened;
}

}  // namespace catena::onednn
