/* run_program PACKAGE SAVED [DEVICE]: runs a program of one float32 input [8,6] and one int32 input
 * [8] three times in C, prints what came out and whether the process has LLVM in it, and saves the
 * program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/capi.h"

static int has_llvm(void) {
    char line[4096];
    int found = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "libLLVM") || strstr(line, "libMLIR") ||
            strstr(line, "libcatena_compiler"))
            found = 1;
    if (maps) fclose(maps);
    return found;
}

static int stop(const char* error) {
    fprintf(stderr, "error: %s\n", error);
    return 1;
}

int main(int argc, char** argv) {
    char error[512] = "usage: run_program PACKAGE SAVED [DEVICE]";
    float x[48];
    int32_t t[8];
    const int64_t x_sizes[] = {8, 6}, t_sizes[] = {8};
    const catena_tensor inputs[] = {{x, CATENA_FLOAT32, 2, x_sizes, NULL},
                                    {t, CATENA_INT32, 1, t_sizes, NULL}};
    catena_tensor y, state;
    catena_program* program;
    int i, step;

    if (argc != 3 && argc != 4) return stop(error);
    program = argc == 3 ? catena_program_load(argv[1], error, sizeof error)
                        : catena_program_load_on(argv[1], argv[3], error, sizeof error);
    if (!program) return stop(error);
    for (step = 0; step < 3; ++step) {
        for (i = 0; i < 48; ++i) x[i] = (float)((i * 37 + step * 101) % 64) / 32 - 1;
        for (i = 0; i < 8; ++i) t[i] = (i + step) % 3;
        if (catena_program_run(program, inputs, 2, error, sizeof error) ||
            catena_program_output(program, 0, &y, error, sizeof error))
            return stop(error);
        printf("%s %.9g\n", catena_program_output_name(program, 0), *(const float*)y.data);
    }
    if (catena_program_state(program, "/l1/W", &state, error, sizeof error)) return stop(error);
    printf("/l1/W rank %d, %d by %d\n", (int)state.rank, (int)state.sizes[0], (int)state.sizes[1]);
    if (catena_program_run(program, inputs, 1, error, sizeof error) == CATENA_OK)
        return stop("one input was enough");
    printf("refused: %s\n", error);
    if (catena_program_save(program, argv[2], error, sizeof error)) return stop(error);
    catena_program_free(program);
    printf("LLVM %s\n", has_llvm() ? "is there" : "is not there");
    return 0;
}
