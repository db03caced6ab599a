#include "frontend/c_export/c_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "frontend/c_export/c_names.h"
#include "frontend/c_export/c_text.h"
#include "runtime/core/array/sizes.h"
#include "runtime/core/system/ascii.h"

namespace catena {
namespace {

using program::Buffer;
using program::Contents;
using program::KernelLaunch;
using program::Result;

std::string identifier(const std::string& text) {
    std::string result;
    for (char c : text) {
        if (ascii::is_letter_or_digit(c))
            result += c;
        else if (!result.empty())
            result += '_';
    }
    while (!result.empty() && result.back() == '_') result.pop_back();
    if (result.empty() || ascii::is_digit(result[0])) result = "v" + result;
    return result;
}

/// The name of a program's type, which its functions begin with, too, behind an underscore.
std::string program_name(const std::string& text) {
    const std::string name = identifier(text);
    return is_reserved_in_c(name) ? name + "_1" : name;
}

/// `wanted`, or with a number behind it.
std::string unique(const std::string& wanted, std::set<std::string>& taken) {
    std::string name = wanted;
    for (int n = 1; !taken.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
    return name;
}

template <class List>
std::string joined(const List& list) {
    std::string text;
    for (const auto& item : list) text += (text.empty() ? "" : ", ") + fmt::format("{}", item);
    return text;
}

std::string names_of(const std::vector<Contents::OpenSize>& open) {
    std::string names;
    for (const Contents::OpenSize& size : open) names += (names.empty() ? "" : ", ") + size.name;
    return names.empty() ? "none" : names;
}

}  // namespace

CWriter::CWriter(const Contents& contents, const CExportOptions& options)
    : contents_(contents),
      level_(options.level),
      name_(program_name(options.name.empty() ? contents.name : options.name)),
      upper_(ascii::to_upper(name_)),
      operations_(name_, level_) {
    for (const auto& [name, size] : options.sizes)
        if (std::none_of(contents.open_sizes.begin(), contents.open_sizes.end(),
                         [&, n = name](const Contents::OpenSize& open) { return open.name == n; }))
            fail<ValueError>("export: {} has no open size '{}'; it has {}", contents.path, name,
                             names_of(contents.open_sizes));
    for (const Contents::OpenSize& open : contents.open_sizes) {
        auto given = options.sizes.find(open.name);
        if (given == options.sizes.end())
            fail<ValueError>("export: size '{}' of {} is open, in C it is fixed; give --size {}=N",
                             open.name, contents.path, open.name);
        if (given->second < 1)
            fail<ValueError>("export: size '{}' is {}, it is at least 1", open.name, given->second);
        sizes_.push_back(given->second);
    }
    schedule_ = contents.schedule_at(sizes_);
    numbers_ = contents.numbers_at(sizes_);
    find_arguments();
    find_blocks();
    place_buffers();
}

std::string CWriter::parameter_name(const std::string& wanted, std::set<std::string>& taken) const {
    // The program's functions begin with its name, its macros with that in capitals.
    const bool is_own =
        wanted == name_ || wanted.starts_with(name_ + "_") || wanted.starts_with(upper_ + "_");
    // A number behind it would not do: "M_PI_1" and "catena_c_1" are reserved, too.
    const char* const other = name_ == "v" ? "w_" : "v_";
    return unique((is_own || is_reserved_in_c(wanted) ? other : "") + wanted, taken);
}

void CWriter::find_arguments() {
    std::set<std::string> taken;
    for (const KernelLaunch& kernel : schedule_.kernels)
        taken.insert(program::symbol_at(kernel.symbol, level_));
    for (size_t i = 0; i < contents_.inputs.size(); ++i)
        inputs_.push_back({parameter_name(identifier(contents_.inputs[i].name), taken),
                           contents_.type_at(contents_.manifest.at("inputs").at(i), sizes_)});
    for (size_t i = 0; i < contents_.outputs.size(); ++i)
        outputs_.push_back({parameter_name(identifier(contents_.outputs[i].name), taken),
                            type_of(contents_.results[i])});
}

void CWriter::find_blocks() {
    std::set<std::string> taken;
    auto add = [&](std::string name, const Array& array) {
        blocks_.push_back({std::move(name), &array, weight_bytes_});
        weight_bytes_ += in_cache_lines(byte_count(array.type()));
    };
    for (const Contents::State& state : contents_.states)
        add(unique(identifier(state.name), taken), state.array);
    for (const Array& constant : contents_.constants) add("", constant);
}

Type CWriter::type_of(const Contents::Value& value) const {
    switch (value.kind) {
        case Contents::Value::argument:
            return inputs_[size_t(value.index)].type;
        case Contents::Value::state:
            return contents_.states[size_t(value.index)].array.type();
        case Contents::Value::constant:
            return contents_.constants[size_t(value.index)].type();
        default:
            break;
    }
    const Result& result = schedule_.results[size_t(value.index)];
    return result.input >= 0 ? schedule_.input_types[size_t(result.input)] : result.view.type;
}

std::string CWriter::address_of(const Contents::Value& value) const {
    switch (value.kind) {
        case Contents::Value::argument:
            return fmt::format("(unsigned char*){}", inputs_[size_t(value.index)].name);
        case Contents::Value::state:
            return fmt::format("program->states + {}", blocks_[size_t(value.index)].offset);
        case Contents::Value::constant:
            return fmt::format("program->states + {}",
                               blocks_[contents_.states.size() + size_t(value.index)].offset);
        default:
            break;
    }
    const Result& result = schedule_.results[size_t(value.index)];
    return result.input >= 0 ? address_of(contents_.sources[size_t(result.input)])
                             : addresses_[size_t(result.view.buffer)];
}

void CWriter::place_buffers() {
    const size_t user_results = schedule_.results.size() - contents_.assigned.size();
    arena_bytes_ = schedule_.arena_bytes;
    addresses_.resize(schedule_.buffers.size());
    auto in_arena = [&](size_t bytes) {
        const size_t offset = arena_bytes_;
        arena_bytes_ += in_cache_lines(bytes);
        return fmt::format("program->arena + {}", offset);
    };
    for (size_t b = 0; b < schedule_.buffers.size(); ++b) {
        const Buffer& buffer = schedule_.buffers[b];
        if (buffer.place == Buffer::Place::arena) {
            addresses_[b] = fmt::format("program->arena + {}", buffer.offset);
        } else if (buffer.place == Buffer::Place::input) {
            addresses_[b] = address_of(contents_.sources[size_t(buffer.index)]);
        } else if (size_t(buffer.index) < user_results) {
            for (size_t o = 0; o < outputs_.size() && addresses_[b].empty(); ++o)
                if (contents_.results[o].kind == Contents::Value::result &&
                    contents_.results[o].index == buffer.index)
                    addresses_[b] = fmt::format("(unsigned char*){}", outputs_[o].name);
            if (addresses_[b].empty()) addresses_[b] = in_arena(buffer.bytes);
        } else {
            // A new content takes the place of the old where the schedule says that nobody reads
            // that any more.
            const int state = contents_.assigned[size_t(buffer.index) - user_results];
            const bool in_place =
                buffer.donor >= 0 &&
                contents_.sources[size_t(buffer.donor)].kind == Contents::Value::state &&
                contents_.sources[size_t(buffer.donor)].index == state;
            addresses_[b] =
                in_place ? address_of({Contents::Value::state, state}) : in_arena(buffer.bytes);
        }
    }
    scratch_offset_ = arena_bytes_;
    int64_t scratch = 0;
    for (const KernelLaunch& kernel : schedule_.kernels)
        scratch = std::max(scratch, kernel.row_scratch_bytes);
    const std::string address = fmt::format("program->arena + {}", scratch_offset_);
    for (const program::LibraryCall& call : schedule_.library_calls)
        calls_.push_back(operations_.statements(call, addresses_, address));
    arena_bytes_ += in_cache_lines(std::max(size_t(scratch), operations_.scratch_bytes()));
}

std::string CWriter::prototype() const {
    std::string text = fmt::format("int {0}_run({0}* program", name_);
    for (const Argument& input : inputs_)
        text += fmt::format(", const {}* {}", c_type(input.type.dtype), input.name);
    for (const Argument& output : outputs_)
        text += fmt::format(", {}* {}", c_type(output.type.dtype), output.name);
    return text + ")";
}

std::string CWriter::header() const {
    std::string text = fmt::format(
        "/* {0}: a program that Catena compiled. Generated; the package it comes from is the "
        "source. */\n"
        "#ifndef CATENA_PROGRAM_{1}_H\n#define CATENA_PROGRAM_{1}_H\n\n#include "
        "<stddef.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
        "#define {1}_STATE_BYTES {2}\n#define {1}_ARENA_BYTES {3}\n#define {1}_NUMBERS {4}\n\n",
        name_, upper_, std::max<size_t>(weight_bytes_, 64), std::max<size_t>(arena_bytes_, 64),
        std::max<size_t>(numbers_.size(), 1));
    text += fmt::format(
        "/* Memory is the caller's, both blocks at a multiple of 64 bytes. */\ntypedef struct {0} "
        "{{\n"
        "    unsigned char* states; /* {1}_STATE_BYTES: parameters and whatever else runs change "
        "*/\n"
        "    unsigned char* arena;  /* {1}_ARENA_BYTES: scratch of one run */\n"
        "    double numbers[{1}_NUMBERS];\n    char error[256]; /* why the last call failed */\n}} "
        "{0};\n\n"
        "enum {{ {1}_OK = 0, {1}_FAILED = 1 }};\n\n",
        name_, upper_);
    for (size_t i = 0; i < contents_.states.size(); ++i)
        text +=
            fmt::format("/* {} {} */\n#define {}_AT_{} {}\n", c_comment(contents_.states[i].name),
                        to_string(contents_.states[i].array.type()), upper_, blocks_[i].name,
                        blocks_[i].offset);
    size_t i = 0;
    for (const program::Json& number : contents_.manifest.at("numbers")) {
        if (const std::string own = number.value("name", ""); !own.empty())
            text += fmt::format("#define {}_NUMBER_{}_{} {} /* at first {} */\n", upper_,
                                identifier(own), i, i, numbers_[i]);
        ++i;
    }
    text += fmt::format(
        "\n/* Sets program up over this memory: numbers as they were saved, states from the file "
        "of weights. */\n"
        "int {0}_load({0}* program, void* states, void* arena, const char* weights);\n"
        "/* Writes the present states, for {0}_load. */\nint {0}_save({0}* program, const char* "
        "weights);\n\n"
        "/* One run, without an allocation:\n",
        name_);
    for (const Argument& input : inputs_)
        text += fmt::format(" *   takes {} {}\n", input.name, to_string(input.type));
    for (const Argument& output : outputs_)
        text += fmt::format(" *   gives {} {}\n", output.name, to_string(output.type));
    text += " */\n" + prototype() + ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return text;
}

std::string CWriter::declarations() const {
    std::string text = fmt::format(
        "#include \"{}.h\"\n\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n{}\n",
        name_, operations_.uses_library() ? "\n#include <catena_c.h>\n" : "");
    text +=
        "/* What a kernel reads. */\ntypedef struct kernel_arguments {\n    void* const* "
        "pointers;\n"
        "    const double* scalars;\n    const int64_t* numbers;\n    void* row_scratch;\n} "
        "kernel_arguments;\n\n";
    std::set<std::string> known;
    for (const KernelLaunch& kernel : schedule_.kernels)
        if (known.insert(kernel.symbol).second) {
            // It comes from a file and becomes C.
            if (kernel.symbol != identifier(kernel.symbol))
                fail<FileError>("{}: a kernel is called '{}', which is no name", contents_.path,
                                kernel.symbol);
            text += fmt::format("void {}(const kernel_arguments*, int64_t begin, int64_t end);\n",
                                program::symbol_at(kernel.symbol, level_));
        }
    return text + "\n";
}

std::string CWriter::kernel_call(const KernelLaunch& kernel) const {
    std::vector<std::string> pointers, scalars;
    for (const KernelLaunch::Operand& operand : kernel.operands)
        pointers.push_back(
            fmt::format("{} + {}", addresses_[size_t(operand.buffer)], operand.byte_offset));
    for (int scalar : kernel.scalars)
        scalars.push_back(fmt::format("program->numbers[{}]", scalar));
    if (scalars.empty()) scalars.push_back("0");
    return fmt::format(
        "    {{\n        void* const pointers[] = {{{}}};\n        const double scalars[] = "
        "{{{}}};\n"
        "        static const int64_t numbers[] = {{{}}};\n"
        "        const kernel_arguments arguments = {{pointers, scalars, numbers, program->arena + "
        "{}}};\n"
        "        {}(&arguments, 0, {});\n    }}\n",
        joined(pointers), joined(scalars), joined(kernel.numbers), scratch_offset_,
        program::symbol_at(kernel.symbol, level_), kernel.units);
}

/// Results that no launch makes, while the states are as the caller knows them.
std::string CWriter::first_copies() const {
    std::string text;
    for (size_t o = 0; o < outputs_.size(); ++o) {
        const Contents::Value& value = contents_.results[o];
        const bool made = value.kind == Contents::Value::result &&
                          schedule_.results[size_t(value.index)].input < 0;
        if (!made)
            text += fmt::format("    memcpy({}, {}, {});\n", outputs_[o].name, address_of(value),
                                byte_count(outputs_[o].type));
    }
    return text;
}

std::string CWriter::last_copies() const {
    std::string text;
    for (size_t o = 0; o < outputs_.size(); ++o) {
        const Contents::Value& value = contents_.results[o];
        if (value.kind != Contents::Value::result ||
            schedule_.results[size_t(value.index)].input >= 0)
            continue;
        const std::string from = address_of(value);
        if (from != "(unsigned char*)" + outputs_[o].name)
            text += fmt::format("    memcpy({}, {}, {});\n", outputs_[o].name, from,
                                byte_count(outputs_[o].type));
    }
    const size_t user_results = schedule_.results.size() - contents_.assigned.size();
    for (size_t a = 0; a < contents_.assigned.size(); ++a) {
        const Contents::Value made{Contents::Value::result, int(user_results + a)};
        const Result& result = schedule_.results[user_results + a];
        if (result.input >= 0) {
            const Contents::Value& source = contents_.sources[size_t(result.input)];
            const auto& assigned = contents_.assigned;
            if (source.kind == Contents::Value::state && source.index != assigned[a] &&
                std::find(assigned.begin(), assigned.end(), source.index) != assigned.end())
                fail<ValueError>(
                    "export: state '{}' becomes what '{}' was, which changes too; C code has one "
                    "place for each",
                    contents_.states[size_t(assigned[a])].name,
                    contents_.states[size_t(source.index)].name);
        }
        const std::string from = address_of(made),
                          to = address_of({Contents::Value::state, contents_.assigned[a]});
        if (from != to)
            text += fmt::format("    memcpy({}, {}, {});\n", to, from, byte_count(type_of(made)));
    }
    return text;
}

std::string CWriter::run_function() const {
    std::string text = first_copies();
    for (const program::Launch& launch : schedule_.launches) {
        if (launch.library_call >= 0) text += calls_[size_t(launch.library_call)];
        for (int k : launch.kernels)
            if (schedule_.kernels[size_t(k)].units > 0)
                text += kernel_call(schedule_.kernels[size_t(k)]);
    }
    text += last_copies();
    std::string unused;
    if (!has_word(text, "program")) unused += "    (void)program;\n";
    for (const std::vector<Argument>* list : {&inputs_, &outputs_})
        for (const Argument& argument : *list)
            if (!has_word(text, argument.name))
                unused += fmt::format("    (void){};\n", argument.name);
    return prototype() + " {\n" + unused + text + fmt::format("    return {}_OK;\n}}\n", upper_);
}

std::string CWriter::load_function() const {
    static constexpr const char* body =
        R"C(static int NAME_fail(NAME* program, const char* what, const char* file) {
    snprintf(program->error, sizeof program->error, "%s: %s", file, what);
    return UPPER_FAILED;
}

/* The states' bytes, then this sum of them (Adler-32). */
static uint32_t NAME_sum(const unsigned char* bytes, size_t count) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; ++i) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

int NAME_load(NAME* program, void* states, void* arena, const char* weights) {
    static const double numbers[] = {NUMBERS};
    uint32_t sum = 0;
    FILE* file = fopen(weights, "rb");
    program->error[0] = 0;
    program->states = states;
    program->arena = arena;
    memcpy(program->numbers, numbers, sizeof numbers);
    if ((uintptr_t)states % 64 || (uintptr_t)arena % 64) {
        if (file) fclose(file);
        return NAME_fail(program, "memory must begin at a multiple of 64 bytes", weights);
    }
    if (!file) return NAME_fail(program, "cannot be opened", weights);
    const int whole = fread(program->states, 1, BYTES, file) == BYTES && fread(&sum, sizeof sum, 1, file) == 1 &&
                      fgetc(file) == EOF;
    fclose(file);
    if (!whole) return NAME_fail(program, "has another size than this program's weights", weights);
    if (sum != NAME_sum(program->states, BYTES)) return NAME_fail(program, "is damaged: its checksum is wrong", weights);
    return UPPER_OK;
}

int NAME_save(NAME* program, const char* weights) {
    const uint32_t sum = NAME_sum(program->states, BYTES);
    FILE* file = fopen(weights, "wb");
    if (!file) return NAME_fail(program, "cannot be written", weights);
    const int whole = fwrite(program->states, 1, BYTES, file) == BYTES && fwrite(&sum, sizeof sum, 1, file) == 1;
    if (fclose(file) != 0 || !whole) return NAME_fail(program, "could not be written whole", weights);
    return UPPER_OK;
}

)C";
    std::vector<std::string> numbers;
    for (double number : numbers_) numbers.push_back(c_number(number));
    if (numbers.empty()) numbers.push_back("0");
    // In one pass: what was put in is not looked at again, for a region may be called "filename" or
    // "bytes".
    const std::pair<std::string_view, std::string> words[] = {
        {"NUMBERS", joined(numbers)},
        {"BYTES", std::to_string(weight_bytes_)},
        {"UPPER", upper_},
        {"NAME", name_}};
    std::string text;
    for (std::string_view rest = body; !rest.empty();) {
        const auto* word = std::find_if(std::begin(words), std::end(words),
                                        [&](const auto& w) { return rest.starts_with(w.first); });
        const bool found = word != std::end(words);
        text += found ? std::string_view(word->second) : rest.substr(0, 1);
        rest.remove_prefix(found ? word->first.size() : 1);
    }
    return text;
}

std::string CWriter::source() const {
    return declarations() + load_function() + operations_.functions() + run_function();
}

std::string CWriter::weights() const {
    std::string text(weight_bytes_, '\0');
    for (const Block& block : blocks_) {
        const Array dense = block.array->as_contiguous();
        if (dense.size() > 0)
            std::memcpy(text.data() + block.offset, dense.elements(), byte_count(dense.type()));
    }
    uLong sum = adler32(0, nullptr, 0);
    for (size_t at = 0; at < text.size(); at += size_t(1) << 30)
        sum = adler32(sum, reinterpret_cast<const Bytef*>(text.data()) + at,
                      uInt(std::min(text.size() - at, size_t(1) << 30)));
    const uint32_t tail = uint32_t(sum);
    text.append(reinterpret_cast<const char*>(&tail), sizeof tail);
    return text;
}

CExport CWriter::summary() const {
    CExport made;
    made.name = name_;
    made.weight_bytes = weight_bytes_;
    made.arena_bytes = arena_bytes_;
    made.kernels = int(schedule_.kernels.size());
    made.operations = int(schedule_.library_calls.size());
    made.uses_library = operations_.uses_library();
    return made;
}

}  // namespace catena
