/** @file
 * Catena in C: programs from files, and one entry point for all operations with a kernel. Installed
 * as catena/capi.h; the functions are in libcatena_runtime. They throw no C++ exceptions.
 *
 * Functions that can fail return CATENA_OK or CATENA_FAILED, and take `error`, memory of
 * `error_bytes` bytes for the reason: at most so many bytes are written, the last of them 0, and
 * nothing on success. It may be NULL. */
#ifndef CATENA_CAPI_H
#define CATENA_CAPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The types of elements. */
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

/** Limits of tensors. */
enum {
    CATENA_MAX_RANK = 8 /**< The most axes that a tensor may have. */
};

/** Elements in memory that somebody else owns: of a tensor that is passed in, the caller; of one
 * that is filled in, the program. Sizes and strides, too, are only pointed to. */
typedef struct catena_tensor {
    void* data;             /**< The first element; may be NULL where there are no elements. */
    int32_t dtype;          /**< One of enum catena_dtype. */
    int32_t rank;           /**< The number of axes, 0 to CATENA_MAX_RANK. */
    const int64_t* sizes;   /**< The sizes of the axes; may be NULL without axes. */
    const int64_t* strides; /**< The steps along the axes, in elements; NULL: row-major. */
} catena_tensor;

/** Which member of an attribute has its value. */
enum catena_attribute_kind {
    CATENA_FLAG,    /**< `integer`, 0 or 1. */
    CATENA_INTEGER, /**< `integer`. */
    CATENA_NUMBER,  /**< `number`. */
    CATENA_TEXT,    /**< `text`. */
    CATENA_DIMS     /**< `dims[0]` to `dims[dim_count - 1]`. */
};

/** A named attribute of a call: an axis, a stride. Axes count from 0, or back from -1, the last
 * one. What it points to is the caller's and read during the call alone. */
typedef struct catena_attribute {
    const char* name;    /**< Its name; each may be given once. */
    int32_t kind;        /**< One of enum catena_attribute_kind. */
    int32_t dim_count;   /**< The number of `dims`, 0 to CATENA_MAX_RANK. */
    int64_t integer;     /**< The value of a flag or an integer. */
    double number;       /**< The value of a number. */
    const char* text;    /**< The value of a text. */
    const int64_t* dims; /**< The value of a list of integers. */
} catena_attribute;

/** One call of an operation. All that it points to is the caller's. */
typedef struct catena_op_call {
    const char* op;                     /**< The name under which the operation is registered. */
    const catena_attribute* attributes; /**< Its attributes, in any order. */
    const double* scalars;              /**< Its numbers, in the order of the definition. */
    const catena_tensor* inputs;        /**< Its inputs, which are only read. */
    const catena_tensor* outputs;       /**< Row-major, of the types that the operation gives. */
    int32_t attribute_count;            /**< The number of attributes. */
    int32_t scalar_count;               /**< The number of numbers. */
    int32_t input_count;                /**< The number of inputs. */
    int32_t output_count;               /**< The number of outputs. */
} catena_op_call;

/** What a function returns that can fail. */
enum catena_status {
    CATENA_OK = 0,    /**< It has done all. */
    CATENA_FAILED = 1 /**< It has failed, and `error` has the reason. */
};

/** Runs one operation on the host, on all cores. Fails for a name that no operation has, an
 * operation without a kernel of its own, and for what does not fit it (NULL, a missing attribute,
 * an axis that is not there, another type of an output): then outputs are not written. An index
 * that is out of range is found while they are. Thread-safe. */
int catena_call_op(const catena_op_call* call, char* error, size_t error_bytes);

/** A compiled program from a file, with its parameters and other states. Not thread-safe: one
 * thread at a time may use it. */
typedef struct catena_program catena_program;

/** Loads a program (.catena) to run on the host. NULL where the file is missing or damaged, of a
 * newer version, or has no code for this processor, with the reason in `error`. The caller owns the
 * program and frees it with catena_program_free. */
catena_program* catena_program_load(const char* path, char* error, size_t error_bytes);
/** As catena_program_load, to run on a device: "cpu", or "cuda:0" for a program with code for it.
 * Tensors are in host memory all the same. */
catena_program* catena_program_load_on(const char* path, const char* device, char* error,
                                       size_t error_bytes);
/** Frees a program and all tensors that it has given. Of NULL it does nothing. */
void catena_program_free(catena_program* program);

/** The number of inputs; 0 for NULL. */
int32_t catena_program_input_count(const catena_program* program);
/** The number of outputs; 0 for NULL. */
int32_t catena_program_output_count(const catena_program* program);
/** The number of states; 0 for NULL. */
int32_t catena_program_state_count(const catena_program* program);
/** The name of input i, from 0; NULL when there is none. The program owns the text. */
const char* catena_program_input_name(const catena_program* program, int32_t i);
/** The name of output i, from 0; NULL when there is none. The program owns the text. */
const char* catena_program_output_name(const catena_program* program, int32_t i);
/** The name of state i, from 0; NULL when there is none. The program owns the text. */
const char* catena_program_state_name(const catena_program* program, int32_t i);

/** Runs a program on `count` tensors, one per input, in order, and updates its states. The inputs
 * are only read, and may be freed afterwards. Fails for another number of inputs and for one of
 * another dtype or shape, whose name `error` has. Tensors that the program has given before are not
 * valid any more. */
int catena_program_run(catena_program* program, const catena_tensor* inputs, int32_t count,
                       char* error, size_t error_bytes);
/** Fills in `output` with result i of the last run. The program owns its memory, which is valid
 * until the next run or catena_program_free. Fails when there is no such result. */
int catena_program_output(const catena_program* program, int32_t i, catena_tensor* output,
                          char* error, size_t error_bytes);

/** Fills in `state` with the present content of the state of that name. The program owns its
 * memory, which is valid until the next run, the next call for the same state, or
 * catena_program_free. Fails when there is no such state; `error` then has the names. */
int catena_program_state(catena_program* program, const char* name, catena_tensor* state,
                         char* error, size_t error_bytes);
/** Sets the state of that name to a copy of a tensor. Fails when there is no such state, and for
 * another dtype or shape. */
int catena_program_set_state(catena_program* program, const char* name, const catena_tensor* state,
                             char* error, size_t error_bytes);
/** Sets a hyperparameter: "alpha". Fails when there is none of that name; `error` then has the
 * names.
 */
int catena_program_set_number(catena_program* program, const char* name, double value, char* error,
                              size_t error_bytes);

/** A tensor of DLPack before 1.0, whose header is dlpack.h. */
struct DLManagedTensor;
/** A tensor of DLPack 1.0 and later. */
struct DLManagedTensorVersioned;

/** The elements of another library's tensor as an input: nothing is copied or given back, so `from`
 * must stay while `tensor` is used. Fails for memory that is not the host's, for a dtype that is
 * not in enum catena_dtype, and for more than CATENA_MAX_RANK axes. */
int catena_tensor_from_dlpack(const struct DLManagedTensor* from, catena_tensor* tensor,
                              char* error, size_t error_bytes);
/** The same of a tensor of DLPack 1.0 and later. */
int catena_tensor_from_dlpack_versioned(const struct DLManagedTensorVersioned* from,
                                        catena_tensor* tensor, char* error, size_t error_bytes);
/** A result of the last run as a tensor for another library, without a copy. It stays after the
 * next run and catena_program_free, until its deleter is called. NULL on failure, with the reason
 * in error. */
struct DLManagedTensorVersioned* catena_program_output_dlpack(const catena_program* program,
                                                              int32_t i, char* error,
                                                              size_t error_bytes);

/** Writes the program with its present states and numbers to a file, which is replaced atomically.
 * Fails where it cannot be written. */
int catena_program_save(const catena_program* program, const char* path, char* error,
                        size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
