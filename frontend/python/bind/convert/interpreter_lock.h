#pragma once

namespace catena::python {

/// From now on long programs and the compiler run without the interpreter's lock.
void lend_interpreter_lock();

}  // namespace catena::python
