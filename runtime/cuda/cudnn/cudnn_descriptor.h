#pragma once

#include "runtime/cuda/cudnn/cudnn.h"

#ifdef CATENA_HAS_CUDNN

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace catena::cuda {

/// An error status of cuDNN.
class CudnnError : public std::runtime_error {
public:
    CudnnError(cudnnStatus_t status, std::string call);
    /// The name of the call that failed: "cudnnBackendFinalize".
    const std::string& call() const { return call_; }
    /// The status as cuDNN names it: "CUDNN_STATUS_BAD_PARAM: ...".
    const std::string& words() const { return words_; }
    /// Whether cuDNN has only refused its arguments, so that nothing is wrong with cuDNN or the
    /// device.
    bool refused() const;

private:
    CudnnError(cudnnStatus_t status, std::string call, std::string words);

    cudnnStatus_t status_;
    std::string call_, words_;
};
/// CudnnError unless `status` is success.
void check_cudnn(cudnnStatus_t status, const char* call);

/// Discards cuDNN's collected warnings, which it would report with the next error.
void forget_cudnn_warnings();

/// cuDNN's number for values of type T.
template <class T>
struct AttributeType;
#define CATENA_CUDNN_ATTRIBUTE_TYPE(T, type)                       \
    template <>                                                    \
    struct AttributeType<T> {                                      \
        static constexpr cudnnBackendAttributeType_t value = type; \
    };
CATENA_CUDNN_ATTRIBUTE_TYPE(int64_t, CUDNN_TYPE_INT64)
CATENA_CUDNN_ATTRIBUTE_TYPE(float, CUDNN_TYPE_FLOAT)
CATENA_CUDNN_ATTRIBUTE_TYPE(double, CUDNN_TYPE_DOUBLE)
CATENA_CUDNN_ATTRIBUTE_TYPE(bool, CUDNN_TYPE_BOOLEAN)
CATENA_CUDNN_ATTRIBUTE_TYPE(char, CUDNN_TYPE_CHAR)
CATENA_CUDNN_ATTRIBUTE_TYPE(void*, CUDNN_TYPE_VOID_PTR)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnHandle_t, CUDNN_TYPE_HANDLE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnDataType_t, CUDNN_TYPE_DATA_TYPE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnConvolutionMode_t, CUDNN_TYPE_CONVOLUTION_MODE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnResampleMode_t, CUDNN_TYPE_RESAMPLE_MODE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnPaddingMode_t, CUDNN_TYPE_PADDING_MODE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnBackendNormMode_t, CUDNN_TYPE_NORM_MODE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnBackendNormFwdPhase_t, CUDNN_TYPE_NORM_FWD_PHASE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnBackendHeurMode_t, CUDNN_TYPE_HEUR_MODE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnBackendNumericalNote_t, CUDNN_TYPE_NUMERICAL_NOTE)
CATENA_CUDNN_ATTRIBUTE_TYPE(cudnnBackendBehaviorNote_t, CUDNN_TYPE_BEHAVIOR_NOTE)
#undef CATENA_CUDNN_ATTRIBUTE_TYPE

/// One object of cuDNN's graph interface: made, given attributes, finalized, then only read. All
/// calls may throw CudnnError.
class Descriptor {
public:
    explicit Descriptor(cudnnBackendDescriptorType_t type);
    Descriptor(Descriptor&& other) noexcept : made_(std::exchange(other.made_, nullptr)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(made_, other.made_);
        return *this;
    }
    ~Descriptor();

    template <class T>
    void set(cudnnBackendAttributeName_t name, const T& value) {
        set_values(name, AttributeType<T>::value, 1, &value);
    }
    template <class T>
    void set_all(cudnnBackendAttributeName_t name, std::span<const T> values) {
        set_values(name, AttributeType<T>::value, int64_t(values.size()), values.data());
    }
    void set(cudnnBackendAttributeName_t name, const Descriptor& value) {
        set_values(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.made_);
    }
    void finalize();

    template <class T>
    std::vector<T> get(cudnnBackendAttributeName_t name) const {
        std::vector<T> values(size_t(get_values(name, AttributeType<T>::value, 0, nullptr)));
        if (!values.empty())
            values.resize(size_t(
                get_values(name, AttributeType<T>::value, int64_t(values.size()), values.data())));
        return values;
    }
    int64_t number(cudnnBackendAttributeName_t name) const;
    /// The descriptors in an attribute, each of type `type`.
    std::vector<Descriptor> get_descriptors(cudnnBackendAttributeName_t name,
                                            cudnnBackendDescriptorType_t type) const;

    cudnnBackendDescriptor_t get() const { return made_; }

private:
    void set_values(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                    int64_t count, const void* values);
    int64_t get_values(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                       int64_t room, void* values) const;

    cudnnBackendDescriptor_t made_ = nullptr;
};

}  // namespace catena::cuda

#endif
