#pragma once

#include <catena/catena.h>

/// (x + sqrt(x^2 + b)) / 2: a smooth relu without exponentials (Barron, 2021).
catena::Variable squareplus(const catena::Operand& x, const catena::Scalar& b = 4.0);
