#include "frontend/link/chain.h"
#include "frontend/link/chain_list.h"
#include "frontend/link/sequential_layer.h"
#include "runtime/core/array/device.h"
#include "runtime/graph/node/node.h"

// A debugger needs the members of these types, and a program does not describe them: compilers
// describe a class with virtual functions only where its first one is defined, which is in Catena's
// libraries, and those are built without debug information. This file alone has some, and of all
// types that it uses (frontend/CMakeLists.txt). tools/debugger reads it.
namespace catena {
namespace {

/// Shows debuggers the types of its arguments; it is never called.
[[gnu::used]] void show_to_debuggers(const Chain*, const ChainList*, const Sequential*,
                                     const Parameter*, const Device*, const Node*, const OpDef*) {}

}  // namespace
}  // namespace catena
