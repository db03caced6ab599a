/* A program without Catena that loads its libraries while it runs, as Python or a host with
 * plug-ins does, after others have taken what they need of the loader's room for thread-local data:
 *
 *     loaded_late OTHER... -- LIBRARY...
 *
 * Each LIBRARY is loaded, used by several threads if it can run operations, and closed, twice. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/capi.h"

enum { threads = 4, calls = 50, most_thread_local_bytes = 256 };

static __thread char own[64 << 10]; /* As a large program has. */

typedef int (*CallOp)(const catena_op_call*, char*, size_t);

static void fail(const char* what, const char* of, const char* reason) {
    fprintf(stderr, "%s: %s: %s\n", what, of, reason ? reason : "");
    exit(1);
}

/* relu of four numbers, and their sums over an axis, which is an attribute. */
static void use(CallOp call_op) {
    const float x[4] = {-1, 2, -3, 4};
    float y[4] = {7, 7, 7, 7}, sum[2] = {7, 7};
    const int64_t four[] = {4}, square[] = {2, 2}, two[] = {2}, axis[] = {1};
    char error[256] = "";
    const catena_tensor in = {(void*)x, CATENA_FLOAT32, 1, four, NULL};
    const catena_tensor out = {y, CATENA_FLOAT32, 1, four, NULL};
    catena_op_call relu = {.op = "relu", .inputs = &in, .outputs = &out};
    relu.input_count = relu.output_count = 1;
    if (call_op(&relu, error, sizeof error) != CATENA_OK) fail("call", "relu", error);
    if (y[0] != 0 || y[1] != 2 || y[2] != 0 || y[3] != 4) fail("call", "relu", "wrong values");

    const catena_tensor matrix = {(void*)x, CATENA_FLOAT32, 2, square, NULL};
    const catena_tensor sums = {sum, CATENA_FLOAT32, 1, two, NULL};
    const catena_attribute attributes[] = {
        {.name = "axes", .kind = CATENA_DIMS, .dim_count = 1, .dims = axis},
        {.name = "keepdims", .kind = CATENA_FLAG, .integer = 0}};
    catena_op_call add_up = {.op = "sum", .inputs = &matrix, .outputs = &sums};
    add_up.attributes = attributes;
    add_up.attribute_count = 2;
    add_up.input_count = add_up.output_count = 1;
    if (call_op(&add_up, error, sizeof error) != CATENA_OK) fail("call", "sum", error);
    if (sum[0] != 1 || sum[1] != 1) fail("call", "sum", "wrong values");
}

static void* use_often(void* call_op) {
    memset(own, 1, sizeof own);
    for (int i = 0; i < calls; ++i) use(*(CallOp*)call_op);
    return NULL;
}

static void use_in_threads(CallOp call_op) {
    pthread_t each[threads];
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&each[i], NULL, use_often, &call_op) != 0)
            fail("pthread_create", "", "");
    use(call_op);
    for (int i = 0; i < threads; ++i) pthread_join(each[i], NULL);
}

/* Of those libraries of Catena whose thread-local data lies in the loader's spare room. */
static int count_thread_local(struct dl_phdr_info* info, size_t size, void* bytes) {
    (void)size;
    if (!strstr(info->dlpi_name, "/libcatena")) return 0;
    size_t own_bytes = 0;
    int is_in_spare_room = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)* part = &info->dlpi_phdr[i];
        if (part->p_type == PT_TLS) own_bytes = part->p_memsz;
        if (part->p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn)* entry = (const ElfW(Dyn)*)(info->dlpi_addr + part->p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_STATIC_TLS))
                is_in_spare_room = 1;
    }
    if (!is_in_spare_room) return 0;
    printf("%s: %zu bytes\n", info->dlpi_name, own_bytes);
    *(size_t*)bytes += own_bytes;
    return 0;
}

static void load(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("dlopen", path, dlerror());
    void* found = dlsym(library, "catena_call_op"); /* Of what it depends on, too. */
    CallOp call_op;
    memcpy(&call_op, &found, sizeof call_op);
    if (call_op) use_in_threads(call_op);
    size_t bytes = 0;
    dl_iterate_phdr(count_thread_local, &bytes);
    if (bytes > most_thread_local_bytes) {
        fprintf(stderr, "%zu bytes of thread-local data, of at most %d\n", bytes,
                most_thread_local_bytes);
        exit(1);
    }
    if (dlclose(library) != 0) fail("dlclose", path, dlerror());
}

int main(int count, char** names) {
    memset(own, 1, sizeof own);
    int i = 1;
    for (; i < count && strcmp(names[i], "--") != 0; ++i) {
        void* other = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!other) fail("dlopen", names[i], dlerror());
        void* found = dlsym(other, "other_library");
        char (*touch)(int);
        memcpy(&touch, &found, sizeof touch);
        if (!touch || touch(i) != 0) fail("dlsym", "other_library", dlerror());
    }
    if (i + 1 >= count) fail("loaded_late", "no library", "");
    for (int again = 0; again < 2; ++again)
        for (int each = i + 1; each < count; ++each) load(names[each]);
    return 0;
}
