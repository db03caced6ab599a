# cmake -DBUILD=... -DWORK=... -DSOURCE=... -DCXX=... -DCOMPILER=compiled|eager -P check.cmake: installs the build, then configures, builds and
# runs the consumer project against nothing but the installed files.
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
# One include folder, and in it nothing of ours outside catena/.
file(GLOB outside RELATIVE ${WORK}/installed/include ${WORK}/installed/include/*)
if(NOT outside STREQUAL "catena")
    message(FATAL_ERROR "include/ should hold catena/ alone, it holds ${outside}")
endif()
file(GLOB_RECURSE license ${WORK}/installed/share/*LICENSE)
if(NOT license)
    message(FATAL_ERROR "the license is not installed")
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/installed -DCATENA_HAS_IMAGES=${IMAGES})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/runtime_only)
run(${WORK}/build/product)
run(${WORK}/build/download)
run(${WORK}/build/consumer ${COMPILER})
run(${CMAKE_COMMAND} -E env CATENA_COMPILER_PATH=/none ${WORK}/build/consumer eager)
if(IMAGES)
    run(${WORK}/build/pictures ${WORK}/build)
endif()
# Without CMake.
find_program(pkg_config pkg-config)
if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${WORK}/installed/lib/pkgconfig)
    run(sh -c "${CXX} -std=c++20 ${SOURCE}/consumer.cpp -o ${WORK}/by_hand $(pkg-config --cflags --libs catena) -Wl,-rpath,${WORK}/installed/lib")
    run(${WORK}/by_hand ${COMPILER})
endif()
# As a part of another project.
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/inside -B ${WORK}/inside -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release
    -DCATENA_SOURCE=${SOURCE}/../..)
run(${CMAKE_COMMAND} --build ${WORK}/inside --target consumer)
file(REMOVE_RECURSE ${WORK})
