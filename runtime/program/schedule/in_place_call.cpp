#include "runtime/program/schedule/in_place_call.h"

#include <algorithm>

#include "runtime/ops/declare/onto.h"

namespace catena::program {

bool writes_in_place(const LibraryCall& call, int input, int output) {
    if (!is_onto_form(*call.op)) return false;
    const View &from = call.inputs[0], &to = call.outputs[0];
    return from.buffer == input && to.buffer == output && from.type == to.type &&
           from.contiguous() && to.contiguous() && from.offset == 0 && to.offset == 0 &&
           std::ranges::count(call.inputs, input, &View::buffer) == 1;
}

}  // namespace catena::program
