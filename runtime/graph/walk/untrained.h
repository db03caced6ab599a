#pragma once

#include <string>
#include <vector>

#include "runtime/graph/variable/variable_body.h"

namespace catena {

// Parameters that get gradients although no optimizer has them: in a list that no link lists, they
// would not be trained, without a word.

/// While alive, an optimizer waits for its first update, and backward() notes which parameters it
/// reaches.
class AwaitingUpdate {
public:
    AwaitingUpdate();
    ~AwaitingUpdate();
    AwaitingUpdate(const AwaitingUpdate&) = delete;
};

void note_untrained_parameter(const VariableBody& parameter);
/// The parameters that the latest backward of this thread has reached and no optimizer has, by name
/// and type.
const std::vector<std::string>& untrained_parameters();
void forget_untrained_parameters();

}  // namespace catena
