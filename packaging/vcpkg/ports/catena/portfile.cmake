# The tree that this port lies in; a port of a release has vcpkg_from_github here.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        caffe CATENA_CAFFE
        compiler CATENA_COMPILER
        hdf5 CATENA_HDF5
        image CATENA_IMAGES
        onnx CATENA_ONNX
        shards CATENA_SHARDS
)

# Plug-ins are built by who has CUDA, NCCL or MPI; AUTO would make the package depend on what the machine has.
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DCATENA_TESTS=OFF
        -DCATENA_EXAMPLES=OFF
        -DCATENA_PYTHON=OFF
        -DCATENA_CUDA=OFF
        -DCATENA_NCCL=OFF
        -DCATENA_MPI=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/catena)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES catena AUTO_CLEAN)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD_PARTY_LICENSES.md")
