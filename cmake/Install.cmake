# `cmake --install` and find_package(catena CONFIG): targets catena::catena and catena::runtime, and
# catena::onnx and catena::image where they were built.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/catena)

# <catena/catena.h> forwards to frontend/catena.h: our headers include each other by root path, which is
# include/catena once installed.
target_include_directories(catena PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/frontend/include>
    $<INSTALL_INTERFACE:${header_folder}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(catena_runtime PUBLIC cxx_std_20)
set_target_properties(catena_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(catena_runtime catena PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

install(TARGETS catena_runtime catena EXPORT catena_targets)
install(FILES frontend/include/catena/catena.h DESTINATION ${header_folder})
install(FILES runtime/capi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} RENAME catena.h)
install(FILES codegen/compiler.h DESTINATION ${header_folder}/codegen)
install(DIRECTORY runtime frontend DESTINATION ${header_folder} FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
        PATTERN "runtime/c" EXCLUDE PATTERN "frontend/tools" EXCLUDE PATTERN "frontend/download" EXCLUDE PATTERN "frontend/hdf5" EXCLUDE
        PATTERN "frontend/include" EXCLUDE)

foreach(library IN ITEMS catena_onnx catena_image)
    if(TARGET ${library})
        install(TARGETS ${library} EXPORT catena_targets)
    endif()
endforeach()
install(EXPORT catena_targets NAMESPACE catena:: FILE catena-targets.cmake DESTINATION ${package_folder})
configure_package_config_file(cmake/catena-config.cmake.in ${PROJECT_BINARY_DIR}/catena-config.cmake
    INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/catena-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/catena-config.cmake ${PROJECT_BINARY_DIR}/catena-config-version.cmake
    DESTINATION ${package_folder})
