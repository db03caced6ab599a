#pragma once

#include <string>

#include "runtime/core/system/error.h"

namespace catena {

/// The present error, of the first of these classes that it is, with what it is about before it.
template <class E, class... Others>
[[noreturn]] void rethrow_of(const std::string& about) {
    try {
        throw;
    } catch (const E& error) {
        throw E(about + error.what());
    } catch (const Error&) {
        if constexpr (sizeof...(Others) > 0) rethrow_of<Others...>(about);
        throw;
    }
}

}  // namespace catena
