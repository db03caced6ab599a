# cmake -DBUILD=... -DWORK=... -DSOURCE=... -DCC=... -DCXX=... -DIMAGES=... -DSHARDS=... -P tarball.cmake: makes the tarball of a release
# (scripts/release/tarball.sh), unpacks it, builds the consumer project against it, with a CMake and a pkg-config that know no
# other folder, and runs it compiled in an empty environment. The loader writes down what it loads: files of the tarball,
# and of the system only what every Debian has.
cmake_minimum_required(VERSION 3.25)
foreach(program IN ITEMS zstd patchelf readelf dpkg-query pkg-config ninja sha256sum)
    find_program(found_${program} ${program})
    if(NOT found_${program})
        message(STATUS "skipped: there is no ${program}")
        return()
    endif()
endforeach()
load_cache(${BUILD} READ_WITH_PREFIX built_ CATENA_HAS_LLVM_INSIDE)
if(NOT built_CATENA_HAS_LLVM_INSIDE)
    message(STATUS "skipped: this build has no compiler with LLVM inside")
    return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/loaded_libraries.cmake)
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
foreach(folder IN ITEMS first second)
    run(${CMAKE_COMMAND} -E env ZSTD_CLEVEL=1 ${SOURCE}/scripts/release/tarball.sh ${BUILD} ${WORK}/${folder})
endforeach()
file(GLOB tarball ${WORK}/first/*.tar.zst)
cmake_path(GET tarball FILENAME name)
run(sh -c "cd ${WORK}/second && sha256sum --check --quiet ${name}.sha256")
run(${CMAKE_COMMAND} -E compare_files ${tarball} ${WORK}/second/${name})
file(MAKE_DIRECTORY ${WORK}/anywhere)
run(tar -C ${WORK}/anywhere -xf ${tarball})
string(REPLACE ".tar.zst" "" name ${name})
set(tree ${WORK}/anywhere/${name})
file(REMOVE_RECURSE ${WORK}/first ${WORK}/second)

# Nothing but the tarball is found, so what find_package and pkg-config need is in it.
set(configure ${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/consumer -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_MAKE_PROGRAM=${found_ninja} -DCMAKE_PREFIX_PATH=${tree} -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
    -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CURL=ON
    -DCATENA_HAS_IMAGES=${IMAGES} -DCATENA_HAS_SHARDS=${SHARDS})
run(${configure} -B ${WORK}/build -DCATENA_HAS_DOWNLOAD=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${configure} -B ${WORK}/refused OUTPUT_QUIET ERROR_VARIABLE error RESULT_VARIABLE status)
if(status EQUAL 0 OR NOT error MATCHES "Debian:[ \n]+libcurl4-openssl-dev")
    message(FATAL_ERROR "without libcurl, COMPONENTS download should name the Debian package that has it: ${error}")
endif()
run(sh -c "PKG_CONFIG_LIBDIR=${tree}/lib/pkgconfig && export PKG_CONFIG_LIBDIR && \
    ${CXX} -std=c++20 -MD -MF ${WORK}/headers ${SOURCE}/tests/consumer/consumer.cpp -o ${WORK}/by_hand \
    $(pkg-config --cflags --libs catena) -Wl,-rpath,${tree}/lib")
file(READ ${WORK}/headers headers)
string(REGEX MATCHALL "[^ \n]*/include/fmt/[^ \n]*" headers "${headers}")
if(NOT headers OR headers MATCHES "/usr/include/fmt/")
    message(FATAL_ERROR "fmt should come from the tarball: ${headers}")
endif()

list_base_libraries(base)
# run_bare(NEEDS PROGRAM...): in an empty environment. Among what is loaded is the library NEEDS.
function(run_bare needs)
    run_traced(all ${WORK} "" ${ARGN})
    foreach(file IN LISTS all)
        cmake_path(GET file FILENAME library)
        cmake_path(IS_PREFIX tree ${file} NORMALIZE is_ours)
        if(NOT is_ours AND NOT library IN_LIST base)
            message(FATAL_ERROR "${ARGN} loaded ${file}, which a bare Debian does not have")
        endif()
    endforeach()
    if(NOT all MATCHES "${tree}/[^;]*${needs}")
        message(FATAL_ERROR "${ARGN} should have loaded ${needs} from the tarball, it loaded ${all}")
    endif()
endfunction()
run_bare(libcatena_compiler.so ${WORK}/build/consumer compiled)
run_bare(libcatena.so ${WORK}/by_hand compiled)  # From the programs that the first one left on the disk.
run_bare(libcatena_runtime.so ${WORK}/build/runtime_only)
if(IMAGES)
    run_bare(libpng16.so ${WORK}/build/pictures ${WORK}/build)
endif()
if(SHARDS)
    run_bare(libcatena_shards.so ${WORK}/build/shards ${WORK}/build)
endif()
run_bare(libdnnl.so ${tree}/bin/catena info)
run_bare(libcatena_compiler.so ${tree}/bin/catena bench mlp --seconds 0.05)
file(REMOVE_RECURSE ${WORK})
