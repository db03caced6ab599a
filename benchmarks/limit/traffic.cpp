#include "benchmarks/limit/traffic.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "runtime/graph/trace/tracing.h"
#include "runtime/ops/declare/work.h"

namespace catena::tool {
namespace {

double bytes_of(const Type& type) {
    return double(element_count(type.shape)) * double(size_of(type.dtype));
}

/// The elements in memory that a view shows: those of a repeated dimension count once.
double bytes_shown(const Array& array) {
    double count = 1;
    for (int i = 0; i < array.rank(); ++i)
        if (array.strides()[i] != 0) count *= double(array.shape()[i]);
    return count * double(size_of(array.dtype()));
}

std::vector<Array> integers_of(std::span<const Variable* const> inputs) {
    std::vector<Array> integers;
    for (const Variable* x : inputs)
        integers.push_back(x->array().defined() && is_integer(x->type().dtype) ? x->array()
                                                                               : Array());
    return integers;
}

class TrafficRecorder : public Tracing {
public:
    void saw(const OpCall& call, std::span<const Variable> outputs) override {
        const auto& [op, inputs, attributes, scalars] = call;
        std::vector<Type> in, out;
        for (const Variable* x : inputs) in.push_back(x->array().defined() ? x->type() : Type{});
        for (const Variable& y : outputs) out.push_back(y.type());
        const double operations = product_operations({op, in, attributes}, out);
        const bool is_product = operations > 0;
        if (is_product)
            count(
                {&op, in, out, integers_of(inputs), attributes, operations, 1, first_read(inputs)});
        const bool is_view =
            outputs.size() == 1 && !inputs.empty() && inputs[0]->array().defined() &&
            outputs[0].array().storage().get() == inputs[0]->array().storage().get();
        if (!is_view) {
            for (const Variable* x : inputs)
                if (x->array().defined()) read(op, x->array(), outputs, is_product);
            for (const Variable& y : outputs) made(y.array(), is_product);
        }
        for (const Variable& y : outputs) alive_.push_back(y.array());
    }
    void assigned(const Variable&, const Variable& value) override { left(value.array()); }
    void changing(VariableBody&, Change) override {}
    void host_read(ArrayBody&) override {}

    /// `array` is there when the iteration has ended.
    void left(const Array& array) {
        if (array.defined()) memory(array).is_given = true;
    }

    Traffic traffic() const {
        Traffic result;
        for (const auto& [key, call] : products_) result.products.push_back(call);
        for (const auto& [storage, m] : memories_) {
            if (!m.is_pointwise)
                result.bytes += std::min(m.bytes, m.read);
            else if (m.is_given)
                result.bytes += m.bytes;
        }
        return result;
    }

private:
    struct Memory {
        double bytes = 0;
        double read = 0;       ///< By other operations than products.
        bool is_made = false;  ///< Not there before the iteration.
        bool is_read_by_product = false;
        bool is_pointwise = false;  ///< Written by another operation than a product.
        bool is_given = false;      ///< Read by a product, or left.
    };

    void count(ProductCall call) {
        const auto [found, is_new] = products_.emplace(call.key(), call);
        if (is_new) return;
        ++found->second.times;
        found->second.first_read += call.first_read;
    }
    double first_read(std::span<const Variable* const> inputs) {
        double bytes = 0;
        for (const Variable* x : inputs) {
            if (!x->array().defined()) continue;
            Memory& m = memory(x->array());
            if (!m.is_made && !std::exchange(m.is_read_by_product, true)) bytes += m.bytes;
        }
        return bytes;
    }
    Memory& memory(const Array& array) {
        Memory& m = memories_[array.storage().get()];
        if (m.bytes == 0) alive_.push_back(array);
        m.bytes = std::max(m.bytes, bytes_shown(array));
        return m;
    }
    void read(const OpDef& op, const Array& array, std::span<const Variable> outputs,
              bool by_product) {
        Memory& m = memory(array);
        if (by_product) {
            m.is_given = true;
            return;
        }
        double bytes = bytes_shown(array);
        if (op.kind == Kind::gather) bytes = std::min(bytes, bytes_of(outputs[0].type()));
        m.read += bytes;
    }
    void made(const Array& array, bool by_product) {
        Memory& m = memory(array);
        m.is_made = true;
        m.is_pointwise = !by_product;
    }

    std::map<std::string, ProductCall> products_;
    std::unordered_map<const Storage*, Memory> memories_;
    std::vector<Array> alive_;  ///< So that no memory is used twice.
};

}  // namespace

double ProductCall::bytes() const {
    double sum = 0;
    for (const Type& type : inputs) sum += bytes_of(type);
    for (const Type& type : outputs) sum += bytes_of(type);
    return sum;
}

double Traffic::first_read() const {
    double sum = 0;
    for (const ProductCall& call : products) sum += call.first_read;
    return sum;
}

std::string ProductCall::key() const {
    std::string text = op->name + " " + std::to_string(attributes.hash());
    for (const Type& type : inputs) text += " " + to_string(type);
    for (const Type& type : outputs) text += " " + to_string(type);
    return text;
}

Traffic traffic_of(const std::function<void()>& iteration,
                   const std::function<std::vector<Array>()>& results) {
    TrafficRecorder recorder;
    {
        RecorderScope scope(&recorder);
        iteration();
    }
    if (results)
        for (const Array& array : results()) recorder.left(array);
    return recorder.traffic();
}

}  // namespace catena::tool
