#include "frontend/init/orthogonal.h"

#include <cmath>

namespace catena {

void make_orthonormal(std::vector<double>& matrix, int64_t rows, int64_t columns) {
    // Vectors are rows, or columns of a tall matrix. Gram-Schmidt done twice is as orthogonal as
    // Householder's way (Giraud et al. 2005), and its R has a positive diagonal by construction.
    bool by_rows = rows <= columns;
    int64_t count = by_rows ? rows : columns, length = by_rows ? columns : rows;
    int64_t next = by_rows ? columns : 1, step = by_rows ? 1 : columns;
    auto at = [&](int64_t vector, int64_t i) -> double& {
        return matrix[vector * next + i * step];
    };
    auto dot = [&](int64_t a, int64_t b) {
        double sum = 0;
        for (int64_t i = 0; i < length; ++i) sum += at(a, i) * at(b, i);
        return sum;
    };
    for (int64_t v = 0; v < count; ++v) {
        for (int pass = 0; pass < 2; ++pass)
            for (int64_t earlier = 0; earlier < v; ++earlier) {
                double along = dot(v, earlier);
                for (int64_t i = 0; i < length; ++i) at(v, i) -= along * at(earlier, i);
            }
        double norm = std::sqrt(dot(v, v));
        for (int64_t i = 0; i < length; ++i) at(v, i) /= norm;
    }
}

}  // namespace catena
