#pragma once

// Everything that a user of Catena needs: `#include <catena/catena.h>` and `namespace ct = catena;`.

#include "frontend/init/initializer.h"
#include "frontend/link/chain.h"
#include "frontend/link/link.h"
#include "frontend/link/parameter.h"
#include "frontend/optimizer/adam.h"
#include "frontend/optimizer/hooks.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/optimizer/sgd.h"
#include "frontend/serializer/npy.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/array.h"
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/graph/config.h"
#include "runtime/graph/gradient.h"
#include "runtime/graph/hooks.h"
#include "runtime/graph/variable.h"
#include "runtime/ops/arithmetic.h"
