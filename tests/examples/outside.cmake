# cmake -DBUILD=... -DWORK=... -DCXX=... "-DPROGRAMS=..." -P outside.cmake: installs the build, copies the installed examples to
# another folder, and builds them there against nothing but what is installed: the smallest by itself, and all of PROGRAMS, which
# the tree has. Some are run.
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
# expect_output(REGEX COMMAND...)
function(expect_output regex)
    execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
    if(NOT output MATCHES "${regex}")
        message(FATAL_ERROR "'${ARGN}' should print ${regex}, it prints\n${output}")
    endif()
endfunction()
file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${WORK}/installed/share/doc/catena/examples/ DESTINATION ${WORK}/copied)
file(COPY ${WORK}/copied/hello DESTINATION ${WORK})
# Quickly: that they run as fast as they should is tested elsewhere.
set(configure ${CMAKE_COMMAND} -G Ninja -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
    -DCMAKE_PREFIX_PATH=${WORK}/installed)

set(learned "step 0: loss 0\\.[0-9]+\nstep 100: .*\nstep 300: loss 0\\.00[0-9]+\n")
run(${configure} -S ${WORK}/hello -B ${WORK}/hello_build)
run(${CMAKE_COMMAND} --build ${WORK}/hello_build)
expect_output("^${learned}$" ${WORK}/hello_build/hello)

run(${configure} -S ${WORK}/copied -B ${WORK}/build)
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
foreach(program IN LISTS PROGRAMS)
    if(NOT EXISTS ${WORK}/build/bin/${program})
        message(FATAL_ERROR "${program} is not among the examples that are built outside of the tree")
    endif()
endforeach()
expect_output("^${learned}$" ${WORK}/build/bin/hello)
expect_output("in a compiled chain +[0-9.]+ +expected +[0-9.]+ +ok" ${WORK}/build/bin/custom_op)
expect_output("\neager +.*\ncompiled +" ${WORK}/build/bin/digits --epoch 2)
file(REMOVE_RECURSE ${WORK})
