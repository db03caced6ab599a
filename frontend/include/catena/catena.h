#pragma once

#include "frontend/catena.h"
