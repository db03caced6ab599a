#include "frontend/trainer/extensions/fail_on_non_number.h"

#include <cmath>

#include "frontend/link/link.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/trainer/trainer.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {
namespace {

bool is_finite(const Array& array) {
    Array host = array.to(cpu_device())
                     .as_contiguous()
                     .astype(array.dtype() == Dtype::float64 ? Dtype::float64 : Dtype::float32);
    auto all_finite = [&](const auto* x) {
        // Zero times anything finite is zero: a sum that stays zero needs no test of each element.
        double sum = 0;
        for (int64_t i = 0; i < host.size(); ++i) sum += 0.0 * double(x[i]);
        return sum == 0;
    };
    return host.dtype() == Dtype::float64 ? all_finite(host.elements<double>())
                                          : all_finite(host.elements<float>());
}

}  // namespace

void FailOnNonNumber::operator()(Trainer& trainer) {
    for (auto& [name, optimizer] : trainer.updater().optimizers())
        for (auto& [path, param] : optimizer->target().namedparams(false))
            if (is_float(param->dtype()) && !is_finite(param->array()))
                fail<ValueError>(
                    "FailOnNonNumber: the parameter {}{} is NaN or infinite in iteration {}", name,
                    path, trainer.updater().iteration());
}

}  // namespace catena::extensions
