#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/ops/declare/library_role.h"

namespace catena::testing {

/// Small integers, so that sums are exact.
Array waves(const Shape& shape, Dtype dtype = Dtype::float32, int phase = 0);

const OpDef& op_with(LibraryRole role);

/// The op on the device and on the host: differences up to `tolerance`.
void expect_same(Device& device, const OpDef& op, const std::vector<Array>& inputs,
                 const Attributes& attributes = {}, double tolerance = 0);

template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

/// Sets an environment variable while it lives.
struct Environment {
    Environment(const char* name, const char* value);
    ~Environment();
    const char* name;
};

}  // namespace catena::testing
