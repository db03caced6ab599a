#pragma once

// All probability distributions, which <catena/catena.h> leaves out.

#include "frontend/distribution/base/divergence.h"
#include "frontend/distribution/beta.h"
#include "frontend/distribution/cauchy.h"
#include "frontend/distribution/chisquare.h"
#include "frontend/distribution/dirichlet.h"
#include "frontend/distribution/discrete/bernoulli.h"
#include "frontend/distribution/discrete/categorical.h"
#include "frontend/distribution/discrete/geometric.h"
#include "frontend/distribution/discrete/one_hot_categorical.h"
#include "frontend/distribution/discrete/poisson.h"
#include "frontend/distribution/exponential.h"
#include "frontend/distribution/gamma.h"
#include "frontend/distribution/gumbel.h"
#include "frontend/distribution/independent.h"
#include "frontend/distribution/laplace.h"
#include "frontend/distribution/log_normal.h"
#include "frontend/distribution/multivariate_normal.h"
#include "frontend/distribution/normal.h"
#include "frontend/distribution/pareto.h"
#include "frontend/distribution/uniform.h"
