# Compiler settings shared by every target, and what was found on this machine.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET default)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN")
include(GNUInstallDirs)
# Of a library's install(TARGETS): who runs programs needs the library, who builds them the rest (cmake/Packaging.cmake).
set(CATENA_LIBRARY_COMPONENTS LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev ARCHIVE COMPONENT dev)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # ccache must be told that macros and __TIME__ in a precompiled header do not matter, and where the tree begins: what is
    # below is named relatively, so that an object serves every checkout, and messages name no folder of this machine.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
        CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD AND NOT CMAKE_CROSSCOMPILING)  # Compilers for other machines know linkers by other names.
    add_link_options(-fuse-ld=mold)
endif()

# Every object of a build is instrumented, or none.
set(CATENA_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
if(CATENA_SANITIZE)
    add_compile_options(-fsanitize=${CATENA_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${CATENA_SANITIZE})
endif()

find_package(fmt REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
# By hand: Debian's package file of oneDNN demands the OpenCL headers, which its CPU side does not need.
find_path(DNNL_INCLUDE_DIR dnnl.hpp REQUIRED)
find_library(DNNL_LIBRARY dnnl REQUIRED)
add_library(DNNL::dnnl UNKNOWN IMPORTED)
set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})

set(CATENA_HAS_COMPILER OFF)
if(NOT CATENA_COMPILER STREQUAL "OFF")
    find_package(MLIR 22.1 CONFIG QUIET HINTS /usr/lib/llvm-22/lib/cmake/mlir)
    if(MLIR_FOUND)
        set(CATENA_HAS_COMPILER ON)
    elseif(CATENA_COMPILER STREQUAL "ON")
        message(FATAL_ERROR "CATENA_COMPILER=ON needs LLVM and MLIR 22.1 (Debian: llvm-22-dev libmlir-22-dev mlir-22-tools)")
    endif()
endif()
message(STATUS "catena: compiler ${CATENA_HAS_COMPILER}")

# The plug-in for CUDA devices is built where the toolkit's headers are.
set(CATENA_CUDA AUTO CACHE STRING "Build the CUDA plug-in (needs cuda.h of CUDA 12 or later): AUTO, ON, OFF")
set(CATENA_HAS_CUDA OFF)
if(NOT CATENA_CUDA STREQUAL "OFF")
    find_path(CATENA_CUDA_INCLUDE_DIR cuda.h HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include)
    if(CATENA_CUDA_INCLUDE_DIR)
        set(CATENA_HAS_CUDA ON)
    elseif(CATENA_CUDA STREQUAL "ON")
        message(FATAL_ERROR "CATENA_CUDA=ON needs cuda.h: install the CUDA toolkit or set CUDA_HOME")
    endif()
endif()
message(STATUS "catena: CUDA plug-in ${CATENA_HAS_CUDA}")

set(CATENA_HAS_ONNX OFF)
if(NOT CATENA_ONNX STREQUAL "OFF")
    find_package(Protobuf QUIET)
    find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h)
    find_library(ONNX_PROTO_LIBRARY onnx_proto)
    if(Protobuf_FOUND AND ONNX_INCLUDE_DIR AND ONNX_PROTO_LIBRARY)
        set(CATENA_HAS_ONNX ON)
        # By hand: Debian's package file of ONNX demands libraries that only its checker needs.
        add_library(ONNX::proto UNKNOWN IMPORTED)
        set_target_properties(ONNX::proto PROPERTIES IMPORTED_LOCATION ${ONNX_PROTO_LIBRARY}
            INTERFACE_INCLUDE_DIRECTORIES ${ONNX_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES protobuf::libprotobuf
            INTERFACE_COMPILE_DEFINITIONS "ONNX_NAMESPACE=onnx;ONNX_ML=1")
    elseif(CATENA_ONNX STREQUAL "ON")
        message(FATAL_ERROR "CATENA_ONNX=ON needs protobuf and ONNX's schema (Debian: libprotobuf-dev protobuf-compiler libonnx-dev)")
    endif()
endif()
message(STATUS "catena: onnx ${CATENA_HAS_ONNX}")

set(CATENA_HAS_CAFFE OFF)
if(NOT CATENA_CAFFE STREQUAL "OFF")
    find_package(Protobuf QUIET)
    if(Protobuf_FOUND AND TARGET protobuf::protoc)
        set(CATENA_HAS_CAFFE ON)
    elseif(CATENA_CAFFE STREQUAL "ON")
        message(FATAL_ERROR "CATENA_CAFFE=ON needs protobuf and its compiler (Debian: libprotobuf-dev protobuf-compiler)")
    endif()
endif()
message(STATUS "catena: caffe ${CATENA_HAS_CAFFE}")

# Warnings and paths of our own targets. g++ 12 sees overlaps, lengths and bounds in text + std::string that are not there (GCC bug 105651).
function(catena_target target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    # Messages name a source by its path from the root, and no library tells where it was built. ccache sees to it by itself
    # (CCACHE_BASEDIR), and would know no object of another checkout by a command with a path in it.
    if(NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
        target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
    endif()
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
                           $<$<BOOL:${CATENA_WERROR}>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds $<$<BOOL:${CATENA_WERROR}>:-Wno-error=maybe-uninitialized>)
    else()
        # clang blames us for std::get_temporary_buffer in libstdc++'s own stable_sort, and for loops that stay scalar.
        target_compile_options(${target} PRIVATE -Wno-deprecated-declarations -Wno-pass-failed)
    endif()
endfunction()
