#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tests/support/mutator.h"

namespace catena::fuzz {

/// Changes some values of a document: numbers become odd ones, texts and what stands under a name
/// those of other places, lists longer or shorter. It stays JSON.
void change_json(nlohmann::json& document, testing::Random& random);

}  // namespace catena::fuzz
