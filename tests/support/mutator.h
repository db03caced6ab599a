#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace catena::testing {

using Random = std::mt19937_64;

/// One of `corpus` with up to eight changes: bits and bytes, numbers that a length or an offset may
/// be, pieces cut out, doubled, emptied or taken from others of the corpus, the end cut off;
/// decimal numbers made large and brackets repeated where it is text. Each is a function of
/// `random` alone.
std::string mutated(const std::vector<std::string>& corpus, Random& random);

}  // namespace catena::testing
