#include "runtime/program/run/device_code.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

#include "runtime/core/array/address.h"
#include "runtime/core/array/loop_nest.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/program/schedule/device_form.h"

namespace catena::program {

namespace {

constexpr const char *code_prefix = "sm_", *ptx_prefix = "compute_", *source = "text";

/// 90 of "sm_90"; -1 when it is something else. Code with a letter ("sm_90a") is for that one
/// architecture.
int number_after(const std::string& prefix, const std::string& text) {
    int number = -1;
    if (!text.starts_with(prefix)) return -1;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + prefix.size(), last, number);
    return error == std::errc() && end == last ? number : -1;
}

}  // namespace

bool is_device_architecture(const std::string& text) {
    return text == source || number_after(code_prefix, text) > 0 ||
           number_after(ptx_prefix, text) > 0;
}

std::string best_architecture(std::span<const std::string> there, const std::string& device) {
    if (std::find(there.begin(), there.end(), device) != there.end()) return device;
    const int number = number_after(code_prefix, device);
    std::string best;
    for (const char* prefix : {code_prefix, ptx_prefix}) {
        int newest = 0;
        for (const std::string& each : there) {
            const int other = number_after(prefix, each);
            const bool runs = other > newest && other <= number &&
                              (prefix == ptx_prefix || other / 10 == number / 10);
            if (runs) newest = other, best = each;
        }
        if (!best.empty()) return best;
    }
    return best;
}

void load_image(CodeDevice& device, const DeviceImage& image, DeviceKernels& kernels) {
    // Devices keep what they have loaded, so the same image is loaded once.
    static std::mutex& mutex = *new std::mutex;
    static auto& loaded =
        *new std::map<std::pair<CodeDevice*, std::string>, std::vector<const void*>>;
    std::lock_guard lock(mutex);
    std::vector<const void*>& handles = loaded[{&device, image.code}];
    if (handles.size() != image.kernels.size()) handles = device.load(image.code, image.kernels);
    for (size_t k = 0; k < handles.size(); ++k) kernels[image.kernels[k]] = handles[k];
}

KernelLaunch copy_kernel(int rank, size_t bytes) {
    const Dtype dtype = bytes == 1   ? Dtype::uint8
                        : bytes == 2 ? Dtype::int16
                        : bytes == 4 ? Dtype::int32
                                     : Dtype::int64;
    KernelLaunch kernel;
    kernel.symbol = fmt::format("copy_{}_{}", rank, bytes);
    kernel.geometry.domain = Dims::filled(rank, 2);
    const Strides unknown = Dims::filled(rank, 2);  // Neither 0 nor 1: code is made for any.
    kernel.geometry.inputs.push_back({dtype, unknown});
    kernel.geometry.outputs.push_back({dtype, unknown});
    kernel.strides_read = strides_read(kernel.geometry);
    kernel.device = {.threads = 256, .wide_index = rank == max_rank};
    return kernel;
}

void CopyProvider::run(CodeDevice&, const KernelCall& call) {
    if (!runs_anywhere(call.op))
        fail<DeviceError>("{}: the program's file has no kernel for it and the device no library",
                          call.op.name);
    call.op.kernel(call);
}

void CopyProvider::copy(CodeDevice& device, const Array& from, const Array& to) {
    if (from.dtype() != to.dtype())
        fail<DeviceError>("copy: a program from a file cannot convert {} to {}",
                          name_of(from.dtype()), name_of(to.dtype()));
    const std::array<Strides, 2> strides = {to.strides(), from.strides()};
    const LoopNest nest = make_loop_nest(to.shape(), strides);
    for (const CopyForm& form : copy_forms) {
        if (nest.rank > form.rank) continue;
        KernelLaunch kernel = copy_kernel(form.rank, size_of(to.dtype()));
        KernelGeometry& geometry = kernel.geometry;
        for (int dim = 0; dim < form.rank; ++dim) {
            const int at = dim - (form.rank - nest.rank);
            geometry.domain[dim] = at < 0 ? 1 : nest.sizes[at];
            geometry.outputs[0].strides[dim] = at < 0 ? 0 : nest.strides[0][size_t(at)];
            geometry.inputs[0].strides[dim] = at < 0 ? 0 : nest.strides[1][size_t(at)];
        }
        if (!form.wide_index && needs_wide_index(geometry)) continue;
        auto found = kernels_.find(kernel.symbol);
        if (found == kernels_.end())
            fail<FileError>("copy: the program's code has no kernel {}", kernel.symbol);
        std::vector<uint64_t> words;
        for (const Array* array : {&from, &to}) words.push_back(address_word(*array));
        words.push_back(0);  // No scalars.
        for (int64_t number : device_numbers(geometry, 1, kernel.strides_read))
            words.push_back(uint64_t(number));
        return device.launch_code(
            {.kernel = found->second,
             .name = kernel.symbol.c_str(),
             .blocks = launch_blocks(block_count(geometry, kernel.device), device),
             .threads = uint32_t(kernel.device.threads),
             .arguments = words.data(),
             .bytes = words.size() * sizeof(uint64_t),
             .location = known_location()});
    }
}

}  // namespace catena::program
