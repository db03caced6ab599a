#pragma once

#include <string>
#include <vector>

#include "runtime/graph/variable_body.h"

namespace catena {

// Parameters that get gradients although no optimizer has them: in a list that no link lists, they
// would not be trained, without a word.

/// While one lives, an optimizer has not updated yet, and backward() takes notes.
class AwaitingUpdate {
public:
    AwaitingUpdate();
    ~AwaitingUpdate();
    AwaitingUpdate(const AwaitingUpdate&) = delete;
};

void note_untrained_parameter(const VariableBody& parameter);
/// Those that the latest backward of this thread has reached, by name and type.
const std::vector<std::string>& untrained_parameters();
void forget_untrained_parameters();

}  // namespace catena
