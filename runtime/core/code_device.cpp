#include "runtime/core/code_device.h"

#include <atomic>

namespace catena {

namespace {

std::atomic<KernelProvider& (*)()> provider{nullptr};

}  // namespace

void CodeDevice::replay(std::unique_ptr<Replay>&, std::span<const Launch> launches) {
    for (const Launch& launch : launches) launch_code(launch);
}

void CodeDevice::launch(const KernelCall& call) { kernel_provider().run(*this, call); }

KernelProvider& kernel_provider() {
    auto* load = provider.load();
    if (!load)
        fail<DeviceError>("kernels for a device are made by Catena's compiler, which this program does not have; link "
                          "libcatena, built with CATENA_COMPILER=ON");
    return load();
}

void set_kernel_provider(KernelProvider& (*load)()) { provider = load; }

}  // namespace catena
