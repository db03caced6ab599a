# `cmake --install` and find_package(catena CONFIG), or add_subdirectory and FetchContent: targets catena::catena,
# catena::runtime and catena::download, and catena::onnx, catena::caffe, catena::image and catena::shards where they were built.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/catena)

# What users include: <catena/catena.h>, and below catena/ the headers of its closure under their paths from the root.
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} runtime/*.h runtime/*.def frontend/*.h)
list(FILTER public_headers EXCLUDE REGEX "^(runtime/c|frontend/hdf5|frontend/python)/")
list(APPEND public_headers codegen/compiler.h)
set(public_folder ${PROJECT_BINARY_DIR}/public_headers)
set(header_files ${public_headers})
list(TRANSFORM header_files PREPEND ${PROJECT_SOURCE_DIR}/)
add_custom_command(OUTPUT ${public_folder}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${public_folder}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DTO=${public_folder} "-DHEADERS=${public_headers}"
            -P ${PROJECT_SOURCE_DIR}/cmake/PublicHeaders.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${public_folder}/stamp
    DEPENDS ${header_files} cmake/PublicHeaders.cmake COMMENT "Public headers" VERBATIM)
add_custom_target(catena_headers ALL DEPENDS ${public_folder}/stamp)
if(PROJECT_IS_TOP_LEVEL)
    target_include_directories(catena PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/frontend/include>)
else()
    add_dependencies(catena_runtime catena_headers)
endif()
add_library(catena::catena ALIAS catena)
add_library(catena::runtime ALIAS catena_runtime)
add_library(catena::c ALIAS catena_c)
target_compile_features(catena_runtime PUBLIC cxx_std_20)
set_target_properties(catena_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(catena_runtime catena PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${CATENA_SOVERSION})

install(TARGETS catena_runtime catena EXPORT catena_targets ${CATENA_LIBRARY_COMPONENTS})
install(DIRECTORY ${public_folder}/catena DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS COMPONENT dev PATTERN "__pycache__" EXCLUDE)
if(TARGET catena-opt)
    install(TARGETS catena-opt COMPONENT opt)
endif()

foreach(library IN ITEMS catena_onnx catena_caffe catena_image catena_shards)
    if(TARGET ${library})
        string(REPLACE "catena_" "catena::" alias ${library})
        add_library(${alias} ALIAS ${library})
        string(REPLACE "catena_" "" component ${library})
        install(TARGETS ${library} EXPORT catena_targets LIBRARY COMPONENT ${component} NAMELINK_COMPONENT dev)
    endif()
endforeach()
install(EXPORT catena_targets NAMESPACE catena:: FILE catena-targets.cmake DESTINATION ${package_folder}
        COMPONENT dev)
# By itself, because its users alone need libcurl and OpenSSL (catena-config.cmake.in).
add_library(catena::download ALIAS catena_download)
install(TARGETS catena_download EXPORT catena_download_targets ARCHIVE COMPONENT dev)
install(EXPORT catena_download_targets NAMESPACE catena:: FILE catena-download-targets.cmake DESTINATION ${package_folder}
        COMPONENT dev)
configure_package_config_file(cmake/catena-config.cmake.in ${PROJECT_BINARY_DIR}/catena-config.cmake
    INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/catena-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/catena-config.cmake ${PROJECT_BINARY_DIR}/catena-config-version.cmake
    DESTINATION ${package_folder} COMPONENT dev)

# pkg-config --cflags --libs catena, and for each further library catena-onnx, catena-caffe, catena-image, catena-shards, catena-c.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
# catena_pkg_config(NAME DESCRIPTION REQUIRES INCLUDE LIBS)
function(catena_pkg_config name description requires include libs)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@to_prefix@
Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -I${prefix}/@include@
Libs: -L${prefix}/@CMAKE_INSTALL_LIBDIR@ @libs@
]])
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()
set(same_version "catena = ${PROJECT_VERSION}")
catena_pkg_config(catena "Define-by-run deep learning with a compiler under it" "fmt" ${CMAKE_INSTALL_INCLUDEDIR}
                  "-lcatena -lcatena_runtime")
catena_pkg_config(catena-c "What programs call that Catena exported as C" "" ${header_folder} "-lcatena_c -lm")
set(description_of_catena_onnx "Catena: export and import of ONNX models")
set(description_of_catena_caffe "Catena: import and export of Caffe models")
set(description_of_catena_image "Catena: datasets of PNG and JPEG pictures")
set(description_of_catena_shards "Catena: samples in tar archives")
foreach(library IN ITEMS catena_onnx catena_caffe catena_image catena_shards)
    if(TARGET ${library})
        string(REPLACE _ - name ${library})
        catena_pkg_config(${name} "${description_of_${library}}" "${same_version}" ${CMAKE_INSTALL_INCLUDEDIR} "-l${library}")
    endif()
endforeach()
