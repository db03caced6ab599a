#pragma once

#include <cstdlib>
#include <exception>
#include <string>

#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"

namespace catena::testing {

/// With two devices, cuda:0 and cuda:1, of the double of CUDA (tests/cuda_double).
class SeveralDevices : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "there is no compiler";
        for (const char* library : {"CATENA_CUDA_DRIVER", "CATENA_NVRTC_PATH"})
            setenv(library, CATENA_CUDA_DOUBLE, 1);
        for (const char* library : {"CATENA_CUBLASLT_PATH", "CATENA_CUDNN_PATH"})
            setenv(library, "/none", 1);
        setenv("CATENA_KERNEL_CACHE", "off", 1);
    }
};

/// Of the error that `call` throws.
template <class Call>
std::string message_of(const Call& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace catena::testing
