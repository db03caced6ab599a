#pragma once

#include <cstdint>
#include <vector>

namespace catena {

/// Makes the rows of a row-major matrix orthonormal, or its columns where there are more rows than
/// columns: Q of the QR decomposition with the signs of diag(R) fixed, so that normal elements give
/// a uniformly distributed Q.
void make_orthonormal(std::vector<double>& matrix, int64_t rows, int64_t columns);

}  // namespace catena
