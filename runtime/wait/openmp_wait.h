#pragma once

/// How many times a thread of GNU's OpenMP looks for work before it sleeps: GOMP_SPINCOUNT, which
/// this library sets to 2000 at start where neither it nor OMP_WAIT_POLICY is set; "" if
/// OMP_WAIT_POLICY decides.
const char* catena_openmp_spin_count();
