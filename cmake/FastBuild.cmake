# What makes a build short. Most of the time of a small source goes into the headers that it includes, so these are compiled once
# (precompiled headers), and small sources of a folder are compiled together (unity builds). Neither changes what is built:
# -DCATENA_PRECOMPILED=OFF -DCATENA_UNITY=OFF compiles every source by itself, which also proves that each includes what it uses.
option(CATENA_PRECOMPILED "Precompile the headers that most sources include" ON)
option(CATENA_UNITY "Compile small sources of a folder together; OFF where single sources are changed and compiled often" ON)

set(standard_headers <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstdlib> <cstring> <functional> <limits> <map> <memory>
    <mutex> <numeric> <optional> <set> <span> <string> <string_view> <utility> <vector>)
set(runtime_headers ${standard_headers} <fmt/format.h> runtime/core/array/device.h runtime/core/parallel/parallel.h runtime/graph/op/arithmetic.h
    runtime/graph/op/op.h runtime/ops/by_name/function.h)
set(frontend_headers ${runtime_headers} <filesystem> runtime/graph/settings/config.h runtime/graph/call/recorder.h frontend/link/link.h
    frontend/serializer/serializer.h)
set(compiler_headers ${standard_headers} <fmt/format.h> mlir/Dialect/Arith/IR/Arith.h mlir/Dialect/Func/IR/FuncOps.h
    mlir/Dialect/Math/IR/Math.h mlir/IR/Builders.h mlir/IR/BuiltinOps.h mlir/IR/IRMapping.h
    mlir/Interfaces/SideEffectInterfaces.h mlir/Pass/Pass.h ir/dialect.h ir/types.h)
set(user_headers frontend/catena.h <cmath> <fstream> <iostream> <fmt/format.h>)
set(runtime_test_headers ${runtime_headers} <gtest/gtest.h> <gmock/gmock.h>)
set(test_headers ${user_headers} <gtest/gtest.h> <gmock/gmock.h> <filesystem> <random> <set> <thread>
    frontend/compiler/compiler_loader.h)

# catena_precompile(TARGET HEADERS...): for TARGET itself, and for those that reuse it.
function(catena_precompile target)
    if(NOT CATENA_PRECOMPILED)
        return()
    endif()
    set(headers)
    foreach(header IN LISTS ARGN)
        if(NOT header MATCHES "^<")
            set(header <${header}>)  # By the path from the root: the same text, and the same cached object, in every checkout.
        endif()
        list(APPEND headers $<$<COMPILE_LANGUAGE:CXX>:${header}>)
    endforeach()
    target_precompile_headers(${target} PRIVATE ${headers})
    target_compile_options(${target} PRIVATE -Werror=invalid-pch)
    skip_precompiled_where_flags_differ(${target})
endfunction()

# A precompiled header serves only sources that are compiled as it was.
function(skip_precompiled_where_flags_differ target)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        get_property(options SOURCE ${source} PROPERTY COMPILE_OPTIONS)
        if(options MATCHES "-[fmO]")
            set_property(SOURCE ${source} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
        endif()
    endforeach()
endfunction()

# catena_precompiled_for(NAME HEADERS...): a target that has nothing but headers, for others to reuse. A precompiled header that does
# not fit (other flags, a macro more that it asks for) is passed over with a warning, -Winvalid-pch, which is an error here: it would
# cost what it should save.
function(catena_precompiled_for name)
    if(NOT CATENA_PRECOMPILED)
        return()
    endif()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp CONTENT "// Headers alone: cmake/FastBuild.cmake.\n")
    add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    catena_target(${name})
    target_link_libraries(${name} PRIVATE fmt::fmt)  # Its headers ask for FMT_SHARED.
    catena_precompile(${name} ${ARGN})
endfunction()

# catena_reuse(TARGET FROM): compiled with the headers of FROM, which must have the same flags.
function(catena_reuse target from)
    if(CATENA_PRECOMPILED)
        target_precompile_headers(${target} REUSE_FROM ${from})
        target_compile_options(${target} PRIVATE -Werror=invalid-pch)
        skip_precompiled_where_flags_differ(${target})
    endif()
endfunction()

# catena_of_programs(TARGET...): objects of programs and of static libraries for them, all with the same flags.
function(catena_of_programs)
    set_target_properties(${ARGN} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE -fPIE)
    endforeach()
endfunction()

# catena_unity(TARGET SIZE [EXCLUDE REGEX]): sources of TARGET that lie in one folder and have no options of their own are compiled
# SIZE at a time. Names in anonymous namespaces then meet: tests/structure keeps those of a folder distinct. CMake's own unity builds
# do the same, but name sources by absolute paths, so that ccache knows their objects in no other checkout.
function(catena_unity target size)
    cmake_parse_arguments(ARG "" "EXCLUDE" "" ${ARGN})
    if(NOT CATENA_UNITY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    set(groups)
    set(last_folder "")
    foreach(source IN LISTS sources)
        get_property(options SOURCE ${source} PROPERTY COMPILE_OPTIONS)
        if(NOT source MATCHES "\\.cpp$" OR options OR (ARG_EXCLUDE AND source MATCHES "${ARG_EXCLUDE}"))
            continue()
        endif()
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
        cmake_path(GET path PARENT_PATH folder)
        if(NOT folder STREQUAL last_folder)
            set(last_folder "${folder}")
            set(number 0)
        endif()
        math(EXPR group "${number} / ${size}")
        math(EXPR number "${number} + 1")
        string(REPLACE "/" "_" group "${folder}_${group}")
        list(APPEND groups ${group})
        string(APPEND text_of_${group} "#include \"${path}\"\n")
        set_property(SOURCE ${source} PROPERTY HEADER_FILE_ONLY ON)
    endforeach()
    list(REMOVE_DUPLICATES groups)
    foreach(group IN LISTS groups)
        set(file ${PROJECT_BINARY_DIR}/unity/${target}/${group}.cpp)
        file(CONFIGURE OUTPUT ${file} CONTENT "${text_of_${group}}" @ONLY)
        target_sources(${target} PRIVATE ${file})
    endforeach()
endfunction()
