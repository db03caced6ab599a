#include "frontend/capture/path/recorded_call.h"

#include <cstring>

#include "runtime/graph/op/op.h"

namespace catena::capture {
namespace {

bool is_same_place(const SourceLoc& a, const SourceLoc& b) {
    const auto same = [](const char* x, const char* y) { return x == y || std::strcmp(x, y) == 0; };
    return a.line == b.line && same(a.file, b.file) && same(a.function, b.function);
}

}  // namespace

uint64_t RecordedCall::hash() const {
    return attributes.hash() * 31 + uint64_t(op->id) * 0x9E3779B97F4A7C15u +
           uint64_t(location.line);
}

bool operator==(const RecordedCall& a, const RecordedCall& b) {
    return a.op == b.op && a.attributes == b.attributes && a.function == b.function &&
           is_same_place(a.location, b.location);
}

}  // namespace catena::capture
