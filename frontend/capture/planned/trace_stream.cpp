#include "frontend/capture/planned/trace_stream.h"

#include <bit>

namespace catena::capture {
namespace {

class Writer {
public:
    Writer(const Trace& trace, TraceParts* parts)
        : trace_(trace),
          parts_(parts),
          number_of_(trace.values.size(), -1),
          input_of_(trace.values.size(), -1) {
        for (size_t i = 0; i < trace.inputs.size(); ++i)
            input_of_[size_t(trace.inputs[i])] = int(i);
    }

    program::NumberStream write() {
        out_.reserve(16 * trace_.steps.size());
        out_.form(std::string_view(trace_.name));
        out_.number(int64_t(trace_.steps.size()));
        for (const Trace::Step& step : trace_.steps) write(step);
        out_.number(int64_t(trace_.scalars.size()));
        out_.number(int64_t(trace_.inputs.size()));
        for (int v : trace_.inputs) write_value(v);
        out_.number(int64_t(trace_.outputs.size()));
        for (int v : trace_.outputs) write_value(v);
        out_.number(int64_t(trace_.assigns.size()));
        for (const Trace::Assign& assign : trace_.assigns) {
            write_value(assign.target);
            write_value(assign.value);
        }
        return out_.take();
    }

private:
    void write(const Trace::Step& step) {
        mark([&](TraceParts& parts) { parts.steps.back() = int(&step - trace_.steps.data()); });
        out_.form(uint64_t(reinterpret_cast<uintptr_t>(step.op)));
        out_.form(std::string_view(step.location.file));
        out_.form(uint64_t(step.location.line));
        out_.form(std::string_view(step.function));
        for (const Attributes::Entry& entry : step.attributes.entries()) write(entry);
        out_.number(int64_t(step.inputs.size()));
        for (int v : step.inputs) write_value(v);
        out_.number(int64_t(step.scalars.size()));
        for (int scalar : step.scalars) {
            mark([&](TraceParts& parts) { parts.scalars.back() = scalar; });
            out_.number(scalar);
        }
        out_.number(int64_t(step.outputs.size()));
        for (int v : step.outputs) write_value(v);
    }

    void write(const Attributes::Entry& entry) {
        out_.form(std::string_view(entry.name));
        out_.form(entry.value.index());
        if (const bool* flag = std::get_if<bool>(&entry.value)) out_.form(*flag);
        if (const int64_t* integer = std::get_if<int64_t>(&entry.value)) out_.number(*integer);
        if (const double* real = std::get_if<double>(&entry.value))
            out_.form(std::bit_cast<uint64_t>(*real));
        if (const std::string* text = std::get_if<std::string>(&entry.value))
            out_.form(std::string_view(*text));
        if (const Dims* dims = std::get_if<Dims>(&entry.value)) {
            out_.form(uint64_t(dims->rank()));
            for (int64_t number : *dims) out_.number(number);
        }
    }

    void write_value(int v) {
        int& known = number_of_[size_t(v)];
        mark(
            [&](TraceParts& parts) { parts.values.back() = v, parts.is_first.back() = known < 0; });
        out_.form(known < 0);
        if (known >= 0) return out_.number(known);
        out_.number(known = count_++);
        const Trace::Value& value = trace_.values[size_t(v)];
        out_.form(uint64_t(value.role) << 16 | uint64_t(value.type.dtype) << 8 |
                  uint64_t(value.type.shape.rank()));
        out_.number(input_of_[size_t(v)]);
        for (int64_t size : value.type.shape) out_.number(size, true);
    }

    /// Calls f(parts) where the last of each list is that of the next token.
    template <class F>
    void mark(F f) {
        if (!parts_) return;
        const size_t tokens = out_.size() + 1;
        for (std::vector<int>* list : {&parts_->steps, &parts_->values, &parts_->scalars})
            list->resize(tokens, -1);
        parts_->is_first.resize(tokens);
        f(*parts_);
    }

    const Trace& trace_;
    TraceParts* const parts_;
    program::StreamWriter out_;
    std::vector<int> number_of_;  ///< For each value, its number in the stream; -1: not used yet.
    std::vector<int> input_of_;   ///< For each value, which of the trace's inputs it is; -1: none.
    int count_ = 0;
};

}  // namespace

program::NumberStream stream_of(const Trace& trace, TraceParts* parts) {
    program::NumberStream tokens = Writer(trace, parts).write();
    if (!parts) return tokens;
    for (std::vector<int>* list : {&parts->steps, &parts->values, &parts->scalars})
        list->resize(tokens.size(), -1);
    parts->is_first.resize(tokens.size());
    return tokens;
}

}  // namespace catena::capture
