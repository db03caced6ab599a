#include <atomic>

#include "frontend/python/bind/optimizer/optimizer_parts.h"
#include "runtime/graph/call/code_changes.h"
#include "runtime/graph/call/recorder.h"

namespace catena::python {
namespace {

/// Whether code of a region has read a number: such a call is no prototype for one after a change.
std::atomic<bool> code_reads_numbers = false;

}  // namespace

double read_number(double number) {
    if (current_recorder()) code_reads_numbers = true;
    return number;
}

void number_changes(double before, double after) {
    if (before != after && code_reads_numbers) note_code_change();
}

void set_number(Cell cell, double value) {
    number_changes(cell.value(), value);
    cell = value;
}

}  // namespace catena::python
