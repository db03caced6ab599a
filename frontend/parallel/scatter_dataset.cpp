#include "frontend/parallel/scatter_dataset.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>

#include "frontend/dataset/concat_examples.h"
#include "frontend/dataset/datasets.h"
#include "frontend/dataset/split.h"
#include "frontend/dataset/take_rows.h"
#include "frontend/parallel/agreement.h"
#include "frontend/parallel/objects.h"
#include "runtime/core/random/random.h"
#include "runtime/core/random/seed.h"

namespace catena {
namespace {

std::pair<int64_t, int64_t> rows_of(int64_t n, int rank, int size, bool equal) {
    if (equal) {
        int64_t begin = n * rank / size;
        return {begin, begin + (n + size - 1) / size};
    }
    int64_t each = n / size, more = n % size, begin = each * rank + std::min<int64_t>(rank, more);
    return {begin, begin + each + (rank < more)};
}

/// The permutation that sorts random keys drawn from the seed.
std::vector<int64_t> permutation_of(int64_t n, int64_t seed) {
    RandomStream stream{uint64_t(seed), 0};
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    auto key = [&](int64_t i) {
        auto words = stream.words(uint64_t(i));
        return uint64_t(words[0]) << 32 | words[1];
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return key(a) < key(b); });
    return order;
}

std::vector<int64_t> order_of(int64_t n, const ScatterOptions& options) {
    if (options.shuffle)
        return options.seed ? permutation_of(n, *options.seed) : random_permutation(n);
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// What this rank takes of a dataset of n rows that every rank has: the order, and the range of it.
struct OwnPart {
    std::vector<int64_t> order;
    int64_t begin, end;
};

/// `described` says what this rank gives, which must be the same everywhere.
OwnPart part_of_everyone(int64_t n, const std::string& described, Communicator& communicator,
                         const ScatterOptions& options) {
    agree(communicator, "scatter_dataset",
          {described, fmt::format("shuffle {}, force_equal_length {}, root {}", options.shuffle,
                                  options.force_equal_length, options.root)});
    if (n == 0) fail<ValueError>("scatter_dataset: {}", described);
    ScatterOptions agreed = options;
    if (options.shuffle) agreed.seed = agreed_seed(communicator, options.seed, options.root);
    const auto [begin, end] =
        rows_of(n, communicator.rank(), communicator.size(), options.force_equal_length);
    return {order_of(n, agreed), begin, end};
}

std::string problem_of_part(const std::vector<Array>& columns) {
    if (columns.empty()) return "the dataset has no arrays";
    for (const Array& column : columns)
        if (column.rank() == 0 || column.dim(0) != columns[0].dim(0))
            return fmt::format("arrays must have equally many rows, they are {} and {}",
                               to_string(columns[0].type()), to_string(column.type()));
    return columns[0].dim(0) == 0 ? "the dataset has no rows" : "";
}

bool are_alike(const std::vector<Example>& all) {
    for (const Example& example : all) {
        if (!example.is_like(all[0])) return false;
        for (size_t i = 0; i < example.size(); ++i)
            if (!(example[i].type() == all[0][i].type())) return false;
    }
    return true;
}

/// Examples of different forms and shapes, one after the other.
std::vector<Example> scatter_examples(const std::vector<Example>& all, Communicator& communicator,
                                      const ScatterOptions& options) {
    const int root = options.root;
    std::vector<Example> mine;
    if (communicator.rank() != root) {
        const int64_t count = communicator.recv(root).item<int64_t>();
        for (int64_t i = 0; i < count; ++i) mine.push_back(recv_obj(communicator, root));
        return mine;
    }
    const std::vector<int64_t> order = order_of(int64_t(all.size()), options);
    for (int r = 0; r < communicator.size(); ++r) {
        const auto [begin, end] =
            rows_of(int64_t(all.size()), r, communicator.size(), options.force_equal_length);
        if (r != root) communicator.send(Array::scalar(end - begin), r);
        for (int64_t i = begin; i < end; ++i) {
            const Example& example = all[size_t(order[size_t(i)])];
            if (r == root)
                mine.push_back(example);
            else
                send_obj(communicator, example, r);
        }
    }
    return mine;
}

}  // namespace

std::pair<int64_t, int64_t> scatter_index(int64_t n, Communicator& communicator, int root,
                                          bool force_equal_length) {
    int64_t of_root = communicator.bcast(Array::scalar(n), root).item<int64_t>();
    return rows_of(of_root, communicator.rank(), communicator.size(), force_equal_length);
}

std::vector<Array> scatter_dataset(const std::vector<Array>& columns, Communicator& communicator,
                                   const ScatterOptions& options) {
    if (options.on_every_rank) {
        const std::string problem = problem_of_part(columns);
        const int64_t n = problem.empty() ? columns[0].dim(0) : 0;
        const OwnPart part = part_of_everyone(
            n, problem.empty() ? fmt::format("{} arrays of {} rows", columns.size(), n) : problem,
            communicator, options);
        std::vector<Array> mine;
        for (const Array& column : columns)
            mine.push_back(take_rows(
                column,
                std::span(part.order).subspan(size_t(part.begin), size_t(part.end - part.begin))));
        return mine;
    }
    const bool at_root = communicator.rank() == options.root;
    std::string problem =
        communicator.bcast_bytes(at_root ? problem_of_part(columns) : "", options.root);
    if (!problem.empty()) fail<ValueError>("scatter_dataset: {}", problem);
    int64_t count =
        communicator.bcast(Array::scalar(int64_t(columns.size())), options.root).item<int64_t>();
    std::vector<int64_t> order;
    if (at_root) order = order_of(columns[0].dim(0), options);
    std::vector<Array> mine;
    for (int64_t c = 0; c < count; ++c) {
        std::vector<Array> parts;
        for (int r = 0; at_root && r < communicator.size(); ++r) {
            auto [begin, end] =
                rows_of(int64_t(order.size()), r, communicator.size(), options.force_equal_length);
            parts.push_back(take_rows(
                columns[size_t(c)], std::span(order).subspan(size_t(begin), size_t(end - begin))));
        }
        mine.push_back(communicator.scatter(parts, options.root));
    }
    return mine;
}

Dataset scatter_dataset(const std::optional<Dataset>& dataset, Communicator& communicator,
                        const ScatterOptions& options) {
    if (options.on_every_rank) {
        const int64_t n = dataset ? dataset->size() : 0;
        const std::string described = !dataset ? "no dataset is given"
                                      : n == 0 ? "the dataset has no examples"
                                               : fmt::format("a dataset of {} examples", n);
        OwnPart part = part_of_everyone(n, described, communicator, options);
        return SubDataset(*dataset, part.begin, part.end, std::move(part.order));
    }
    const bool at_root = communicator.rank() == options.root;
    std::vector<Array> columns;
    std::vector<Example> all;
    std::string kind, problem;
    if (at_root) {
        try {
            if (!dataset) fail<ValueError>("the root gives no dataset");
            for (int64_t i = 0; i < dataset->size(); ++i) all.push_back((*dataset)[i]);
            if (all.empty()) fail<ValueError>("the dataset has no examples");
            if (are_alike(all)) {
                Batch batch = concat_examples(all);
                for (const Variable& column : batch.values()) columns.push_back(column.array());
                kind = batch.is_dict() ? "dict" : batch.is_tuple() ? "tuple" : "one";
                for (const std::string& key : batch.keys()) kind += "\n" + key;
            } else {
                kind = "examples";
            }
        } catch (const std::exception& error) {  // Of the dataset, which may be a user's.
            problem = error.what();
        }
    }
    problem = communicator.bcast_bytes(problem, options.root);
    if (!problem.empty()) fail<ValueError>("scatter_dataset: {}", problem);
    std::istringstream words(communicator.bcast_bytes(kind, options.root));
    std::getline(words, kind);
    if (kind == "examples") return Dataset(scatter_examples(all, communicator, options));
    std::vector<Array> mine = scatter_dataset(columns, communicator, options);
    std::vector<Dataset> parts(mine.begin(), mine.end());
    if (kind == "one") return parts[0];
    if (kind == "tuple") return TupleDataset(std::move(parts));
    std::vector<std::pair<std::string, Dataset>> named;
    for (const Dataset& part : parts) {
        std::getline(words, kind);
        named.emplace_back(kind, part);
    }
    return DictDataset(std::move(named));
}

int64_t agreed_seed(Communicator& communicator, std::optional<int64_t> seed, int root) {
    int64_t value = 0;
    if (communicator.rank() == root) {
        const std::array<uint32_t, 4> drawn =
            seed ? std::array<uint32_t, 4>{} : next_host_stream().words(0);
        value = seed ? *seed : int64_t((uint64_t(drawn[0]) << 32 | drawn[1]) >> 1);
    }
    return communicator.bcast(Array::scalar(value), root).item<int64_t>();
}

OrderSampler create_multi_node_order_sampler(int64_t n, Communicator& communicator,
                                             const MultiNodeOrderOptions& options) {
    agree(communicator, "create_multi_node_order_sampler",
          {fmt::format("{} examples, drop_last {}, root {}", n, options.drop_last, options.root)});
    const OrderPart part{.examples = n,
                         .rank = communicator.rank(),
                         .ranks = communicator.size(),
                         .drop_last = options.drop_last};
    return ShuffleOrderSampler(agreed_seed(communicator, options.seed, options.root), part);
}

Dataset create_empty_dataset(const Dataset& dataset) {
    return Dataset(std::vector<Example>(size_t(dataset.size()), Example(std::vector<Array>())));
}

}  // namespace catena
