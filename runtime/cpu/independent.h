#pragma once

/// Before a loop whose turns do not read what another one writes: it becomes vector code without a
/// check at run time.
#if defined(__clang__)
#define CATENA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CATENA_INDEPENDENT _Pragma("GCC ivdep")
#endif
