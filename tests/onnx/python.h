#pragma once

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace catena::testing {

/// The Python of CATENA_ONNX_PYTHON (tests/onnx/setup.sh makes one); empty: there is none.
inline std::string onnx_python() {
    const char* path = std::getenv("CATENA_ONNX_PYTHON");
    return path ? path : "";
}

#define CATENA_SKIP_WITHOUT_ONNX_PYTHON()                                                     \
    if (onnx_python().empty())                                                                \
    GTEST_SKIP() << "CATENA_ONNX_PYTHON is not set: a Python with onnx and onnxruntime, see " \
                    "tests/onnx/setup.sh"

}  // namespace catena::testing
