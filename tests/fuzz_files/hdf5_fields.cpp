#include "tests/fuzz_files/hdf5_fields.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/hdf5_numbers.h"

namespace catena::fuzz {
namespace {

using testing::Random;

/// An identifier, closed by the destructor.
class Id {
public:
    Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    ~Id() {
        if (id_ >= 0) close_(id_);
    }
    Id& operator=(Id&&) = delete;
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

class FileWriter {
public:
    explicit FileWriter(Random& random) : random_(random) {}

    void write(const std::string& path) {
        const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), made(file_properties());
        const std::pair<H5F_libver_t, H5F_libver_t> versions[] = {
            {H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST},
            {H5F_LIBVER_V18, H5F_LIBVER_V18},
            {H5F_LIBVER_V110, H5F_LIBVER_V110}};
        const auto [low, high] = versions[below(std::size(versions))];
        H5Pset_libver_bounds(access, low, high);
        const Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, made, access), H5Fclose);
        fill(file, 0);
    }

private:
    uint64_t below(uint64_t end) { return random_() % end; }
    bool once_in(uint64_t times) { return below(times) == 0; }
    template <class T>
    T one_of(std::initializer_list<T> list) {
        return list.begin()[below(list.size())];
    }

    Id file_properties() {
        Id made(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
        if (once_in(6)) H5Pset_sizes(made, one_of<size_t>({4, 8}), one_of<size_t>({4, 8}));
        if (once_in(10)) H5Pset_userblock(made, 512);
        if (once_in(10)) H5Pset_sym_k(made, unsigned(1 + below(4)), unsigned(1 + below(4)));
        if (once_in(10)) H5Pset_istore_k(made, unsigned(1 + below(3)));
        if (once_in(10)) H5Pset_link_phase_change(made, 0, 0);
        return made;
    }

    void fill(hid_t group, int depth) {
        for (uint64_t k = 1 + below(4); k > 0; --k) {
            const std::string name = names_[below(names_.size())] + std::to_string(k);
            const uint64_t what = below(12);
            if (what < 8) {
                add_dataset(group, name);
            } else if (what < 10) {
                add_groups(group, name, depth);
            } else {
                add_link(group, name);
            }
        }
        if (once_in(3)) add_attribute(group);
    }

    void add_groups(hid_t group, const std::string& name, int depth) {
        const Id made(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
        if (once_in(2)) H5Pset_link_phase_change(made, unsigned(below(3)), 0);
        if (once_in(3)) H5Pset_link_creation_order(made, H5P_CRT_ORDER_TRACKED);
        if (once_in(20)) return add_nest(group, name);
        const Id inner(H5Gcreate2(group, name.c_str(), H5P_DEFAULT, made, H5P_DEFAULT), H5Gclose);
        if (inner >= 0 && depth < 3) fill(inner, depth + 1);
    }
    void add_nest(hid_t group, const std::string& name) {
        const Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
        H5Pset_create_intermediate_group(links, 1);
        std::string path = name;
        for (uint64_t k = 90 + below(40); k > 0; --k) path += "/g";
        const Id inner(H5Gcreate2(group, path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        if (inner >= 0) add_dataset(inner, "x");
    }

    void add_link(hid_t group, const std::string& name) {
        switch (below(4)) {
            case 0:  // Back to the beginning.
                H5Lcreate_hard(group, "/", group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
                return;
            case 1:
                H5Lcreate_hard(group, "x1", group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
                return;
            case 2:
                H5Lcreate_soft(once_in(2) ? "/x1" : name.c_str(), group, name.c_str(), H5P_DEFAULT,
                               H5P_DEFAULT);
                return;
            default:
                H5Lcreate_external("/etc/passwd", "/x", group, name.c_str(), H5P_DEFAULT,
                                   H5P_DEFAULT);
        }
    }

    void add_attribute(hid_t object) {
        const Id space(some_space()), type(some_type(0));
        const Id made(H5Acreate2(object, "attribute", type, space, H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
        const std::vector<char> elements = some_elements(space, type);
        if (made >= 0 && !elements.empty() && H5Tget_class(type) != H5T_VLEN)
            H5Awrite(made, type, elements.data());
    }

    void add_dataset(hid_t group, const std::string& name) {
        const Id space(some_space()), type(some_type(0)), made(some_layout(space, type));
        const Id set(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, made, H5P_DEFAULT),
                     H5Dclose);
        if (set < 0) return;
        const std::vector<char> elements = some_elements(space, type);
        if (!elements.empty() && !once_in(8))
            H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data());
        if (once_in(8)) grow(set);
        if (once_in(6)) add_attribute(set);
    }
    void grow(hid_t set) {
        const Id space(H5Dget_space(set), H5Sclose);
        std::array<hsize_t, H5S_MAX_RANK> sizes{}, most{};
        const int rank = H5Sget_simple_extent_dims(space, sizes.data(), most.data());
        if (rank > 0) sizes[0] = sizes[0] * 2 + 1;
        if (rank > 0) H5Dset_extent(set, sizes.data());
    }

    Id some_space() {
        if (once_in(8)) return {H5Screate(once_in(2) ? H5S_NULL : H5S_SCALAR), H5Sclose};
        std::array<hsize_t, H5S_MAX_RANK> sizes{}, most{};
        const int rank = once_in(20) ? int(1 + below(H5S_MAX_RANK)) : int(1 + below(4));
        const hsize_t largest = rank > 4 ? 2 : 6;
        const bool is_open = once_in(3);
        for (int i = 0; i < rank; ++i) {
            sizes[size_t(i)] = once_in(20) ? 0 : 1 + below(largest);
            most[size_t(i)] = is_open && once_in(2) ? H5S_UNLIMITED : sizes[size_t(i)] + is_open;
        }
        return {H5Screate_simple(rank, sizes.data(), most.data()), H5Sclose};
    }

    Id some_type(int depth) {
        const auto copy = [&](hid_t type) { return Id(H5Tcopy(type), H5Tclose); };
        const uint64_t what = once_in(2) ? 0 : below(depth > 1 ? 8 : 16);
        if (what < 6)
            return copy(one_of<hid_t>({H5T_STD_I8LE, H5T_STD_I16BE, H5T_STD_I32LE, H5T_STD_I64LE,
                                       H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32BE, H5T_STD_U64LE,
                                       H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE}));
        if (what == 6) return odd_integer_type();
        if (what == 7) return odd_float_type();
        if (what < 11) return text_type();
        if (what == 11) return enumeration();
        if (what == 12) return structure(depth);
        const Id base(some_type(depth + 1));
        if (what == 13) {
            const hsize_t sizes[] = {1 + below(3), 1 + below(3)};
            return {H5Tarray_create2(base, unsigned(1 + below(2)), sizes), H5Tclose};
        }
        if (what == 14) return {H5Tvlen_create(base), H5Tclose};
        return once_in(2) ? copy(one_of<hid_t>({H5T_STD_B8LE, H5T_STD_REF_OBJ, H5T_UNIX_D32LE}))
                          : Id(H5Tcreate(H5T_OPAQUE, 1 + below(9)), H5Tclose);
    }
    Id odd_integer_type() {
        Id type(H5Tcopy(H5T_STD_I32LE), H5Tclose);
        H5Tset_size(type, 1 + below(12));
        H5Tset_precision(type, 1 + below(40));
        H5Tset_offset(type, below(8));
        if (once_in(2)) H5Tset_sign(type, H5T_SGN_NONE);
        return type;
    }
    Id odd_float_type() {
        Id type(H5Tcopy(once_in(2) ? H5T_IEEE_F32LE : H5T_IEEE_F64BE), H5Tclose);
        if (once_in(2)) H5Tset_ebias(type, below(3000));
        if (once_in(2)) {  // As float16, or nearly.
            H5Tset_fields(type, 15, 10, 5, 0, 10);
            H5Tset_size(type, 2);
            H5Tset_ebias(type, once_in(3) ? below(32) : 15);
        }
        if (once_in(3)) H5Tset_norm(type, once_in(2) ? H5T_NORM_NONE : H5T_NORM_MSBSET);
        if (once_in(3)) H5Tset_inpad(type, H5T_PAD_ONE);
        return type;
    }
    Id text_type() {
        Id type(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(type, once_in(4) ? H5T_VARIABLE : 1 + below(20));
        H5Tset_strpad(type, one_of({H5T_STR_NULLPAD, H5T_STR_NULLTERM, H5T_STR_SPACEPAD}));
        if (once_in(2)) H5Tset_cset(type, H5T_CSET_UTF8);
        return type;
    }
    Id enumeration() {
        Id type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
        const char* const names[] = {"FALSE", "TRUE", "NEITHER"};
        for (int8_t value = 0; value < int8_t(2 + once_in(3)); ++value) {
            const int8_t other = once_in(8) ? int8_t(below(200)) : value;
            H5Tenum_insert(type, names[value], &other);
        }
        return type;
    }
    Id structure(int depth) {
        const Id first(some_type(depth + 1)), second(some_type(depth + 1));
        const size_t a = H5Tget_size(first), b = H5Tget_size(second);
        Id type(H5Tcreate(H5T_COMPOUND, a + b + 1), H5Tclose);
        H5Tinsert(type, "a", 0, first);
        H5Tinsert(type, "b", a, second);
        return type;
    }

    Id some_layout(hid_t space, hid_t type) {
        Id made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        std::array<hsize_t, H5S_MAX_RANK> sizes{}, most{}, chunk{};
        const int rank = H5Sget_simple_extent_dims(space, sizes.data(), most.data());
        const bool must =
            rank > 0 && !std::equal(sizes.begin(), sizes.begin() + rank, most.begin());
        const uint64_t what = below(8);
        if (rank > 0 && (must || what < 5)) {
            for (int i = 0; i < rank; ++i) chunk[size_t(i)] = 1 + below(4);
            H5Pset_chunk(made, rank, chunk.data());
            add_filters(made);
        } else if (what == 5) {
            H5Pset_layout(made, H5D_COMPACT);
        } else if (what == 6 && once_in(4)) {
            H5Pset_external(made, "/etc/passwd", 0, once_in(2) ? H5F_UNLIMITED : 64);
        }
        H5Pset_alloc_time(made, one_of({H5D_ALLOC_TIME_DEFAULT, H5D_ALLOC_TIME_EARLY,
                                        H5D_ALLOC_TIME_INCR, H5D_ALLOC_TIME_LATE}));
        H5Pset_fill_time(made,
                         one_of({H5D_FILL_TIME_IFSET, H5D_FILL_TIME_ALLOC, H5D_FILL_TIME_NEVER}));
        const std::vector<char> value(H5Tget_size(type), '\1');
        const H5T_class_t kind = H5Tget_class(type);
        if (once_in(4) && (kind == H5T_INTEGER || kind == H5T_FLOAT))
            H5Pset_fill_value(made, type, value.data());
        if (once_in(6)) H5Pset_obj_track_times(made, once_in(2));
        if (once_in(6)) H5Pset_attr_phase_change(made, 0, 0);
        return made;
    }
    void add_filters(hid_t made) {
        for (uint64_t k = below(4); k > 0; --k) {
            const unsigned number[] = {unsigned(below(9))};
            switch (below(7)) {
                case 0:
                case 1:
                    H5Pset_deflate(made, number[0]);
                    break;
                case 2:
                case 3:
                    H5Pset_shuffle(made);
                    break;
                case 4:
                case 5:
                    H5Pset_fletcher32(made);
                    break;
                default:  // One that is not there.
                    H5Pset_filter(made, H5Z_filter_t(300 + below(9)), H5Z_FLAG_OPTIONAL, 1, number);
            }
        }
    }

    /// None if they are too many, or addresses.
    std::vector<char> some_elements(hid_t space, hid_t type) {
        const hssize_t count = H5Sget_simple_extent_npoints(space);
        if (count <= 0 || count > 100000 || H5Tdetect_class(type, H5T_VLEN) > 0 ||
            H5Tdetect_class(type, H5T_REFERENCE) > 0 ||
            (H5Tdetect_class(type, H5T_STRING) > 0 &&
             (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)))
            return {};
        std::vector<char> elements(size_t(count) * H5Tget_size(type));
        for (size_t i = 0; i < elements.size(); ++i)
            elements[i] = H5Tget_class(type) == H5T_ENUM ? char(i % 2) : char('a' + i * 7 % 26);
        return elements;
    }

    Random& random_;
    const std::vector<std::string> names_{"x", "x", "weights", "a b", "\x1b[2J", "\xff", "."};
};

}  // namespace

void write_random_hdf5(const std::string& path, uint64_t seed) {
    constexpr uint64_t files_of_one = 32;
    static uint64_t known = ~uint64_t(0);
    static std::optional<Hdf5Numbers> file;
    if (known != seed / files_of_one || !file) {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        Random random(seed / files_of_one);
        FileWriter(random).write(path);
        file.emplace(content_of(path));
        known = seed / files_of_one;
    }
    Random random(seed);
    write_file(path, seed % files_of_one < 2 ? file->content() : file->changed(random));
}

}  // namespace catena::fuzz
