/* Catena in C: programs from files, and one entry point for all operations with a kernel. Installed
 * as catena/capi.h; the functions are in libcatena_runtime. They throw no C++ exceptions. */
#ifndef CATENA_CAPI_H
#define CATENA_CAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types. */
enum catena_dtype {
    CATENA_BOOL,
    CATENA_INT8,
    CATENA_INT16,
    CATENA_INT32,
    CATENA_INT64,
    CATENA_UINT8,
    CATENA_FLOAT16,
    CATENA_BFLOAT16,
    CATENA_FLOAT32,
    CATENA_FLOAT64
};

enum { CATENA_MAX_RANK = 8 };

/* Elements in the caller's memory. Strides are in elements; NULL: row-major. */
typedef struct catena_tensor {
    void* data;
    int32_t dtype; /* enum catena_dtype */
    int32_t rank;
    const int64_t* sizes;
    const int64_t* strides;
} catena_tensor;

enum catena_attribute_kind {
    CATENA_FLAG,    /* integer, 0 or 1 */
    CATENA_INTEGER, /* integer */
    CATENA_NUMBER,  /* number */
    CATENA_TEXT,    /* text */
    CATENA_DIMS     /* dims[0] to dims[dim_count - 1] */
};

/* A named attribute of a call: an axis, a stride. Axes count from 0, or back from -1, the last one.
 */
typedef struct catena_attribute {
    const char* name;
    int32_t kind;      /* enum catena_attribute_kind */
    int32_t dim_count; /* 0 to CATENA_MAX_RANK */
    int64_t integer;
    double number;
    const char* text;
    const int64_t* dims;
} catena_attribute;

typedef struct catena_op_call {
    const char* op; /* its registered name */
    const catena_attribute* attributes;
    const double* scalars; /* in the order of the definition */
    const catena_tensor* inputs;
    const catena_tensor* outputs; /* row-major, of the types that the operation gives */
    int32_t attribute_count, scalar_count, input_count, output_count;
} catena_op_call;

enum catena_status { CATENA_OK = 0, CATENA_FAILED = 1 };

/* Runs one operation on the host, on all cores. Unless the status is CATENA_OK, error has the
 * reason, if it is not NULL, in at most error_bytes bytes, null-terminated. What does not fit the
 * operation (NULL, a missing attribute, an axis that is not there) is refused before outputs are
 * written; an index that is out of range, while they are. Thread-safe. */
int catena_call_op(const catena_op_call* call, char* error, size_t error_bytes);

/* A compiled program from a file, with its parameters and other states. Not thread-safe. */
typedef struct catena_program catena_program;

/* NULL on failure, with the reason in error. */
catena_program* catena_program_load(const char* path, char* error, size_t error_bytes);
/* The same to run on a device: "cpu", or "cuda:0" for a program with code for it. Tensors are in
 * host memory. */
catena_program* catena_program_load_on(const char* path, const char* device, char* error,
                                       size_t error_bytes);
void catena_program_free(catena_program* program);

/* A program that is NULL is an error; it has no inputs, outputs and states. */
int32_t catena_program_input_count(const catena_program* program);
int32_t catena_program_output_count(const catena_program* program);
int32_t catena_program_state_count(const catena_program* program);
/* NULL when there is no such input, output or state. */
const char* catena_program_input_name(const catena_program* program, int32_t i);
const char* catena_program_output_name(const catena_program* program, int32_t i);
const char* catena_program_state_name(const catena_program* program, int32_t i);

/* Runs it on one tensor per input, and updates its states. */
int catena_program_run(catena_program* program, const catena_tensor* inputs, int32_t count,
                       char* error, size_t error_bytes);
/* A result of the last run; valid until the next run or catena_program_free. */
int catena_program_output(const catena_program* program, int32_t i, catena_tensor* output,
                          char* error, size_t error_bytes);

/* The present content of a state; valid until it is set or changed by a run. */
int catena_program_state(catena_program* program, const char* name, catena_tensor* state,
                         char* error, size_t error_bytes);
int catena_program_set_state(catena_program* program, const char* name, const catena_tensor* state,
                             char* error, size_t error_bytes);
/* A hyperparameter: "alpha". */
int catena_program_set_number(catena_program* program, const char* name, double value, char* error,
                              size_t error_bytes);

/* Tensors of DLPack 1.0, whose header is dlpack.h. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* The elements of another library's tensor as an input: nothing is copied or given back, so `from`
 * must stay while `tensor` is used. Fails for memory that is not the host's, for a dtype that is
 * not in enum catena_dtype, and for more than CATENA_MAX_RANK axes. */
int catena_tensor_from_dlpack(const struct DLManagedTensor* from, catena_tensor* tensor,
                              char* error, size_t error_bytes);
int catena_tensor_from_dlpack_versioned(const struct DLManagedTensorVersioned* from,
                                        catena_tensor* tensor, char* error, size_t error_bytes);
/* A result of the last run as a tensor for another library, without a copy. It stays after the next
 * run and catena_program_free, until its deleter is called. NULL on failure, with the reason in
 * error. */
struct DLManagedTensorVersioned* catena_program_output_dlpack(const catena_program* program,
                                                              int32_t i, char* error,
                                                              size_t error_bytes);

/* Writes the package with the present states. */
int catena_program_save(const catena_program* program, const char* path, char* error,
                        size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
