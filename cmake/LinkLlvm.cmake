# link_llvm(TARGET): what the shared library TARGET calls of MLIR and LLVM becomes a part of it, where their archives are installed.
# The shared libraries of both hold every dialect and every processor, and find each other by name in 40 MB of tables that the loader
# reads: 80 MB of each process that compiles anything, and some 50 ms.
set(CATENA_LLVM_ARCHIVES ON CACHE BOOL "Make LLVM a part of libcatena_compiler where its archives are installed; OFF: use the shared libraries")
function(link_llvm target)
    set(CATENA_HAS_LLVM_INSIDE OFF CACHE INTERNAL "")
    file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
    list(FILTER archives EXCLUDE REGEX "/libMLIR(CAPI|Test)[^/]*$")
    # LLVM can compress what it writes. The package of its archives does not bring the link zstd.so.
    find_library(CATENA_ZSTD NAMES zstd libzstd.so.1)
    find_library(CATENA_ZLIB NAMES z libz.so.1)
    mark_as_advanced(CATENA_ZSTD CATENA_ZLIB)
    if(NOT CATENA_LLVM_ARCHIVES OR NOT archives MATCHES "/libMLIRIR.a" OR NOT archives MATCHES "/libLLVMOrcJIT.a" OR NOT CATENA_ZSTD OR NOT CATENA_ZLIB)
        message(STATUS "catena: shared LLVM")
        target_link_libraries(${target} PRIVATE MLIR LLVM)
        # LLVM's folder is not one that the loader knows.
        set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
        return()
    endif()
    message(STATUS "catena: LLVM in libcatena_compiler")
    set(CATENA_HAS_LLVM_INSIDE ON CACHE INTERNAL "")
    # What is LLVM's stays inside: the process may have another one.
    set(hidden ${PROJECT_SOURCE_DIR}/cmake/hide_llvm.map)
    target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:--exclude-libs,ALL LINKER:--version-script=${hidden})
    # The archives have a little debug information (split DWARF), which valgrind 3.19 takes for a damaged file and gives up.
    target_link_options(${target} PRIVATE $<$<CONFIG:Release,MinSizeRel>:LINKER:--strip-debug>)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${hidden})
    target_link_libraries(${target} PRIVATE -Wl,--start-group ${archives} -Wl,--end-group -Wl,--as-needed ${CATENA_ZSTD} ${CATENA_ZLIB} -Wl,--no-as-needed
                          ${CMAKE_DL_LIBS})
    # Who gets the library gets LLVM's licence with it (Apache 2.0 with exceptions).
    find_file(CATENA_LLVM_COPYRIGHT copyright PATHS /usr/share/doc/llvm-${LLVM_VERSION_MAJOR}-dev NO_DEFAULT_PATH)
    mark_as_advanced(CATENA_LLVM_COPYRIGHT)
    if(CATENA_LLVM_COPYRIGHT)
        install(FILES ${CATENA_LLVM_COPYRIGHT} DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LLVM-copyright COMPONENT compiler)
    else()
        message(WARNING "catena: the licence of LLVM was not found (CATENA_LLVM_COPYRIGHT): a package of libcatena_compiler must bring it, or be built with -DCATENA_LLVM_ARCHIVES=OFF")
    endif()
endfunction()
