#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>

#include "frontend/link/parameter_list.h"
#include "frontend/optimizer/gather_moments.h"
#include "frontend/parallel/agreement.h"
#include "frontend/parallel/multi_node_evaluator.h"
#include "frontend/parallel/optimizer/multi_node_optimizer.h"
#include "frontend/parallel/scatter_dataset.h"
#include "frontend/python/bind/convert/call.h"
#include "frontend/python/bind/convert/converted.h"
#include "frontend/python/bind/convert/dtype_caster.h"
#include "frontend/python/bind/convert/ndarray.h"
#include "frontend/python/bind/distributed/distributed_parts.h"

// What ranks that train together share: gradients, models, data, evaluations.

namespace catena::python {
namespace {

void create_optimizer(Optimizer& optimizer, const Group& communicator, bool double_buffering,
                      bool zero_fill, std::optional<Dtype> allreduce_grad_dtype,
                      std::optional<int64_t> bucket_bytes, bool overlap, bool shard) {
    const CallScope scope;
    create_multi_node_optimizer(optimizer, communicator.shared(),
                                {.double_buffering = double_buffering,
                                 .zero_fill = zero_fill,
                                 .allreduce_grad_dtype = allreduce_grad_dtype,
                                 .bucket_bytes = bucket_bytes,
                                 .overlap = overlap,
                                 .shard = shard});
}

void gather_wholes(Optimizer& optimizer) {
    const CallScope scope;
    beside_operations([&] { gather_moments(optimizer); });
}

/// `pairs`: paths and States.
void copy_states(const Group& communicator, nb::list pairs, int root) {
    const CallScope scope;
    NamedStates states;
    for (nb::handle pair : pairs)
        states.emplace_back(converted<std::string>("a path", pair[0], "a text"),
                            variable_in(nb::object(pair[1]).ptr()));
    beside_operations([&] { bcast_states(*communicator, "bcast_data", states, root); });
}

/// `pairs`: paths and Parameters.
void average_gradients(const Group& communicator, nb::list pairs, bool zero_fill) {
    const CallScope scope;
    ParameterList model;
    for (nb::handle pair : pairs)
        model.add(converted<std::string>("a path", pair[0], "a text"),
                  object_in<Parameter>("what is averaged", pair[1], "a Parameter"));
    multi_node_mean_grad(*communicator, model, zero_fill);
}

std::map<std::string, double> means(const Group& communicator,
                                    const std::map<std::string, double>& values) {
    const CallScope scope;
    return beside_operations([&] { return mean_over_ranks(*communicator, values); });
}

nb::list scatter_columns(const Group& communicator, nb::list columns, int root, bool shuffle,
                         std::optional<int64_t> seed, bool equal, bool everywhere) {
    const CallScope scope;
    std::vector<Array> arrays;
    for (nb::handle column : columns) arrays.push_back(array_of(column.ptr()));
    nb::list rows;
    const auto own = beside_operations([&] {
        return scatter_dataset(arrays, *communicator,
                               {.root = root,
                                .shuffle = shuffle,
                                .seed = seed,
                                .force_equal_length = equal,
                                .on_every_rank = everywhere});
    });
    for (const Array& column : own) rows.append(nb::steal(ndarray_of(column)));
    return rows;
}

}  // namespace

void bind_multi_node_training(nb::module_& m) {
    m.def("create_multi_node_optimizer", create_optimizer);
    m.def("gather_moments", gather_wholes);
    m.def("bcast_states", copy_states);
    m.def("multi_node_mean_grad", average_gradients);
    m.def("mean_over_ranks", means);
    m.def("scatter_columns", scatter_columns);
}

}  // namespace catena::python
