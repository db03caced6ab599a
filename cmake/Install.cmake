# `cmake --install` and find_package(catena CONFIG): targets catena::catena and catena::runtime.
include(CMakePackageConfigHelpers)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/catena)

# <catena/catena.h> in the build tree and installed: one forwarding header, because ours are included by root path.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/catena/catena.h
     CONTENT "#pragma once\n#include \"frontend/catena.h\"\n")
target_include_directories(catena PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(catena_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(catena_runtime catena PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

install(TARGETS catena_runtime catena EXPORT catena_targets)
if(TARGET catena_compiler)
    # Found by dlopen beside libcatena, never linked: a module, not an exported target.
    install(TARGETS catena_compiler LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES ${PROJECT_BINARY_DIR}/include/catena/catena.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena)
install(DIRECTORY runtime frontend DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "frontend/tools" EXCLUDE)
install(FILES codegen/compiler.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena/codegen)

install(EXPORT catena_targets NAMESPACE catena:: FILE catena-targets.cmake DESTINATION ${cmake_folder})
configure_package_config_file(cmake/catena-config.cmake.in ${PROJECT_BINARY_DIR}/catena-config.cmake
    INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/catena-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/catena-config.cmake ${PROJECT_BINARY_DIR}/catena-config-version.cmake
    DESTINATION ${cmake_folder})
