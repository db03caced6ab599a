#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "runtime/core/array/code_device.h"

namespace catena::program {

/// A program's work in the forms that its device records (CodeDevice::record), by what they depend
/// on: the memory and the values that library calls were given. Allocators hand out the same memory
/// again, so that these repeat.
class RecordedWork {
public:
    /// The form for `key`. Recorded when a key comes for the second time; null at the first, and
    /// where the device records nothing or keys do not repeat often enough to be worth it.
    CodeDevice::Replay* find(std::span<const uint64_t> key, CodeDevice& device,
                             std::span<const CodeDevice::Work> work);
    int recordings() const { return recordings_; }

private:
    struct Form {
        std::vector<uint64_t> key;
        std::unique_ptr<CodeDevice::Replay> replay;
    };
    bool was_seen(std::span<const uint64_t> key);

    /// Each keeps the memory that its calls took beside their operands.
    static constexpr size_t most_forms = 4;
    static constexpr size_t most_seen = 16;
    std::list<Form> forms_;     ///< The last used first.
    std::list<uint64_t> seen_;  ///< Hashes of keys without a form, the last first.
    int recordings_ = 0;
    int64_t finds_ = 0;
    bool is_off_ = false;
};

}  // namespace catena::program
