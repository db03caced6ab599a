/* The operations of Catena's runtime for compiled code and programs in C: one entry for all of them. */
#ifndef CATENA_CAPI_H
#define CATENA_CAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an element is. */
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

/* Elements in memory of the caller. Strides are in elements; NULL says row-major. */
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

/* A property of a call that the operation's definition names: an axis, a stride. */
typedef struct catena_attribute {
    const char* name;
    int32_t kind; /* enum catena_attribute_kind */
    int32_t dim_count;
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

/* Runs one operation on the host, on all cores. Otherwise than with CATENA_OK nothing was written but, if error is not
 * NULL, the reason in at most error_bytes bytes, ended by a zero. Safe to call from several threads. */
int catena_call_op(const catena_op_call* call, char* error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
