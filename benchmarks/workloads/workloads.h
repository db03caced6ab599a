#pragma once

#include <string>
#include <vector>

#include "benchmarks/workloads/workload.h"

namespace catena::tool {

// The rows of the benchmark.

const std::vector<Workload>& workloads();
/// Of one of them, or of the model of a file (resnet50.onnx is resnet50_onnx). ValueError listing
/// what there is.
Workload find_workload(const std::string& name);

}  // namespace catena::tool
