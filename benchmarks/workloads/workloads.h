#pragma once

#include <string>
#include <vector>

#include "benchmarks/workloads/workload.h"

namespace catena::tool {

// The rows of the benchmark.

const std::vector<Workload>& workloads();
/// Rows whose sizes fill a GPU, where a host would need minutes for a step. `catena bench` runs
/// them by name, or on a device when nothing is named.
const std::vector<Workload>& large_workloads();
/// Of one of both, or of the model of a file (resnet50.onnx is resnet50_onnx). ValueError listing
/// what there is.
Workload find_workload(const std::string& name);

}  // namespace catena::tool
