#pragma once

/// Put before a loop whose iterations do not read what others write: it becomes vector code without
/// a check at run time.
#if defined(__clang__)
#define CATENA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CATENA_INDEPENDENT _Pragma("GCC ivdep")
#endif
