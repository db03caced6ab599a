#pragma once

#include <cstddef>
#include <string>

namespace catena {

/// The routines of LAPACK that Catena calls, in single or double precision: those of
/// liblapack.so.3, which OpenBLAS or the reference implementation provide, or of
/// CATENA_LAPACK_PATH, loaded at the first use. Matrices are column-major; Fortran passes the
/// lengths of texts as trailing arguments.
template <class T>
struct Lapack {
    void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
    void (*getri)(const int* n, T* a, const int* lda, const int* pivots, T* work, const int* lwork,
                  int* info);
    void (*getrs)(const char* trans, const int* n, const int* nrhs, const T* a, const int* lda,
                  const int* pivots, T* b, const int* ldb, int* info, size_t);
    void (*potrf)(const char* uplo, const int* n, T* a, const int* lda, int* info, size_t);
    void (*syevd)(const char* jobz, const char* uplo, const int* n, T* a, const int* lda, T* w,
                  T* work, const int* lwork, int* iwork, const int* liwork, int* info, size_t,
                  size_t);
    void (*gesdd)(const char* jobz, const int* m, const int* n, T* a, const int* lda, T* s, T* u,
                  const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* iwork,
                  int* info, size_t);
    void (*geqrf)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work,
                  const int* lwork, int* info);
    void (*orgqr)(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau,
                  T* work, const int* lwork, int* info);
};

/// The routines; DeviceError, naming `op`, where the library is not installed.
template <class T>
const Lapack<T>& lapack(const std::string& op);

}  // namespace catena
