# cmake -DBUILD=... -DWORK=... -DSOURCE=... -DCXX=... -DCOMPILER=compiled|eager -P check.cmake: installs the build, then configures, builds and
# runs the consumer project against nothing but the installed files.
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/installed -DCATENA_HAS_IMAGES=${IMAGES})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/runtime_only)
run(${WORK}/build/product)
run(${WORK}/build/consumer ${COMPILER})
if(IMAGES)
    run(${WORK}/build/pictures ${WORK}/build)
endif()
file(REMOVE_RECURSE ${WORK})
