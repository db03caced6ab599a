/* A library of somebody else with thread-local data: in the loader's spare room (initial-exec), or
 * where a library may have as much as it likes (global-dynamic). */
static __thread char data[BYTES] __attribute__((tls_model(MODEL)));

char other_library(int i);
char other_library(int i) { return data[i % BYTES]++; }
