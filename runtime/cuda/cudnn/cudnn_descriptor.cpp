#include "runtime/cuda/cudnn/cudnn_descriptor.h"

#ifdef CATENA_HAS_CUDNN

#include <algorithm>

namespace catena::cuda {

namespace {

std::string words_for(cudnnStatus_t status) {
    char last[2048] = "";
    cudnn().cudnnGetLastErrorString(last, sizeof last);
    const std::string name = cudnn().cudnnGetErrorString(status);
    return *last ? name + ": " + last : name;
}

}  // namespace

CudnnError::CudnnError(cudnnStatus_t status, std::string call)
    : CudnnError(status, std::move(call), words_for(status)) {}

CudnnError::CudnnError(cudnnStatus_t status, std::string call, std::string words)
    : std::runtime_error(call + ": " + words),
      status_(status),
      call_(std::move(call)),
      words_(std::move(words)) {}

bool CudnnError::refused() const {
    const int category = CUDNN_STATUS_CATEGORY(int(status_));
    return category == CUDNN_STATUS_NOT_SUPPORTED || category == CUDNN_STATUS_BAD_PARAM;
}

void check_cudnn(cudnnStatus_t status, const char* call) {
    if (status != CUDNN_STATUS_SUCCESS) throw CudnnError(status, call);
}

void forget_cudnn_warnings() {
    char ignored[1];
    cudnn().cudnnGetLastErrorString(ignored, sizeof ignored);
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
    check_cudnn(cudnn().cudnnBackendCreateDescriptor(type, &made_), "cudnnBackendCreateDescriptor");
}

Descriptor::~Descriptor() {
    if (made_) cudnn().cudnnBackendDestroyDescriptor(made_);
}

void Descriptor::finalize() {
    check_cudnn(cudnn().cudnnBackendFinalize(made_), "cudnnBackendFinalize");
}

int64_t Descriptor::number(cudnnBackendAttributeName_t name) const {
    int64_t value = 0;
    get_values(name, CUDNN_TYPE_INT64, 1, &value);
    return value;
}

std::vector<Descriptor> Descriptor::get_descriptors(cudnnBackendAttributeName_t name,
                                                    cudnnBackendDescriptorType_t type) const {
    const int64_t count = get_values(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, nullptr);
    std::vector<Descriptor> found;
    std::vector<cudnnBackendDescriptor_t> places;
    for (int64_t i = 0; i < count; ++i) places.push_back(found.emplace_back(type).made_);
    if (count == 0) return found;
    const int64_t written = get_values(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, places.data());
    found.erase(found.begin() + std::min(written, count), found.end());
    return found;
}

void Descriptor::set_values(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                            int64_t count, const void* values) {
    check_cudnn(cudnn().cudnnBackendSetAttribute(made_, name, type, count, values),
                "cudnnBackendSetAttribute");
}

int64_t Descriptor::get_values(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                               int64_t room, void* values) const {
    int64_t count = 0;
    check_cudnn(cudnn().cudnnBackendGetAttribute(made_, name, type, room, &count, values),
                "cudnnBackendGetAttribute");
    return count;
}

}  // namespace catena::cuda

#endif
