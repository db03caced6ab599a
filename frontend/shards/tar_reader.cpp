#include "frontend/shards/tar_reader.h"

#include <algorithm>
#include <cerrno>
#include <locale.h>
#include <string_view>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "frontend/shards/tar_name.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"

namespace catena {
namespace {

constexpr size_t block_bytes = 256 << 10;
constexpr size_t record_bytes = 512;
constexpr size_t longest_name = 4096;

/// libarchive converts names to the letters of the thread's locale. In that of C it leaves them as
/// they are.
class LocaleOfC {
public:
    LocaleOfC() : before_(uselocale(of_c())) {}
    ~LocaleOfC() { uselocale(before_); }
    LocaleOfC(const LocaleOfC&) = delete;

private:
    static locale_t of_c() {
        static const locale_t made = newlocale(LC_ALL_MASK, "C", nullptr);
        return made;
    }
    locale_t before_;
};

struct ArchiveFreed {
    void operator()(archive* opened) const { archive_read_free(opened); }
};

}  // namespace

struct TarReader::Body {
    explicit Body(std::string path) : file(std::move(path)), limits(file_limits()) {}

    FileReader file;
    FileLimits limits;
    uint64_t at = 0;  ///< Where libarchive reads next.
    std::vector<char> block = std::vector<char>(block_bytes);
    /// Why the file could not be read: exceptions do not pass through libarchive.
    std::string problem;
    std::unique_ptr<archive, ArchiveFreed> opened;
    std::string name;  ///< The name of the present entry.
    uint64_t bytes = 0, entries = 0;

    //---- for libarchive

    static la_ssize_t read(archive* from, void* body, const void** data) {
        Body& self = *static_cast<Body*>(body);
        const size_t part = size_t(std::min<uint64_t>(block_bytes, self.file.size() - self.at));
        try {
            if (part > 0) self.file.read_at(self.at, self.block.data(), part);
        } catch (const std::exception& error) {
            self.problem = error.what();
            archive_set_error(from, EIO, "the file cannot be read");
            return ARCHIVE_FATAL;
        }
        self.at += part;
        *data = self.block.data();
        return la_ssize_t(part);
    }
    static la_int64_t skip(archive*, void* body, la_int64_t wanted) {
        Body& self = *static_cast<Body*>(body);
        const uint64_t part = std::min<uint64_t>(uint64_t(wanted), self.file.size() - self.at);
        self.at += part;
        return la_int64_t(part);
    }

    //----

    void open() {
        if (file.size() == 0) fail<FileError>("{}: is empty, not a tar archive", file.path());
        opened.reset(archive_read_new());
        if (!opened) throw std::bad_alloc();
        archive* a = opened.get();
        archive_read_support_format_tar(a);
        if (archive_read_support_filter_gzip(a) != ARCHIVE_OK && is_gzip())
            fail<FileError>("{}: is compressed, which the libarchive of this build cannot read",
                            file.path());
        // What is behind the end of an archive is read as a further one, or is an error.
        archive_read_set_format_option(a, "tar", "read_concatenated_archives", "1");
        archive_read_set_callback_data(a, this);
        archive_read_set_read_callback(a, read);
        archive_read_set_skip_callback(a, skip);
        const LocaleOfC plain;
        if (archive_read_open1(a) != ARCHIVE_OK) damaged("is not a tar archive");
    }

    bool is_gzip() const {
        char begin[2] = {};
        if (file.size() >= sizeof begin) file.read_at(0, begin, sizeof begin);
        return begin[0] == '\x1f' && begin[1] == '\x8b';
    }

    [[noreturn]] void damaged(std::string_view what) const {
        if (!problem.empty()) fail<FileError>("{}", problem);
        const char* said = archive_error_string(opened.get());
        if (archive_errno(opened.get()) == ENOMEM) throw std::bad_alloc();
        fail<FileError>("{}: {}{}", file.path(), what, said ? fmt::format(": {}", said) : "");
    }
    std::string here() const {
        return entries == 0
                   ? "damaged before its first entry"
                   : fmt::format("damaged behind entry {}, '{}'", entries, printable_name(name));
    }

    /// A plain archive ends with records of zeros; one that was cut between two entries does not.
    void check_end() const {
        if (is_gzip()) return;
        char last[record_bytes] = {};
        if (file.size() >= record_bytes)
            file.read_at(file.size() - record_bytes, last, record_bytes);
        if (file.size() < record_bytes ||
            std::any_of(last, last + record_bytes, [](char c) { return c != 0; }))
            fail<FileError>(
                "{}: ends behind entry {}, '{}', without the zeros that end a tar archive: it was "
                "cut",
                file.path(), entries, printable_name(name));
    }

    /// Whether an entry is a file; folders are passed over.
    bool check_kind(archive_entry* entry) const {
        const auto type = archive_entry_filetype(entry);
        if (type == AE_IFDIR) return false;
        const char* what =
            archive_entry_hardlink(entry) || archive_entry_symlink(entry) || type == AE_IFLNK
                ? "a link"
            : type != AE_IFREG                      ? "neither file nor folder"
            : archive_entry_sparse_count(entry) > 0 ? "a file with holes"
                                                    : nullptr;
        if (what)
            fail<FileError>("{}: entry {}, '{}', is {}; shards have plain files", file.path(),
                            entries, printable_name(name), what);
        return true;
    }

    void check_size(archive_entry* entry) {
        const int64_t declared = archive_entry_size(entry);
        bytes = uint64_t(declared);
        const uint64_t most = std::max(limits.bytes, file.size());
        if (declared < 0 || bytes > most)
            fail<FileError>(
                "{}: entry {}, '{}', declares {} bytes; at most {} are allowed; set "
                "CATENA_FILE_LIMIT_MB or call set_file_limits() if you trust it",
                file.path(), entries, printable_name(name), declared, most);
    }

    /// False at the end.
    bool next() {
        const LocaleOfC plain;
        while (true) {
            archive_entry* entry = nullptr;
            const int status = archive_read_next_header(opened.get(), &entry);
            if (status == ARCHIVE_EOF) {
                check_end();
                return false;
            }
            if (status != ARCHIVE_OK && !(status == ARCHIVE_WARN && is_about_letters()))
                damaged(here());
            if (++entries > limits.entries)
                fail<FileError>(
                    "{}: has more than {} entries; call set_file_limits() if you trust it",
                    file.path(), limits.entries);
            const char* found = archive_entry_pathname(entry);
            if (!found || !*found) damaged(fmt::format("entry {} has no name", entries));
            name = found;
            if (name.size() > longest_name)
                fail<FileError>(
                    "{}: entry {}, '{}', has a name of {} bytes; at most {} are allowed",
                    file.path(), entries, printable_name(name), name.size(), longest_name);
            if (!check_kind(entry)) continue;
            check_size(entry);
            return true;
        }
    }

    /// Names that are no letters of the locale are given as they are.
    bool is_about_letters() const {
        const char* said = archive_error_string(opened.get());
        return said && std::string_view(said).find("can't be converted") != std::string_view::npos;
    }

    std::string content() {
        std::string content;
        content.reserve(size_t(std::min<uint64_t>(bytes, 1 << 20)));  // More only as it is read.
        while (true) {
            const void* data = nullptr;
            size_t part = 0;
            la_int64_t offset = 0;
            const int status = archive_read_data_block(opened.get(), &data, &part, &offset);
            if (status == ARCHIVE_EOF) break;
            if (status != ARCHIVE_OK || offset != la_int64_t(content.size()))
                damaged(fmt::format("entry {}, '{}', is damaged or cut off", entries,
                                    printable_name(name)));
            content.append(static_cast<const char*>(data), part);
        }
        if (content.size() != bytes)
            fail<FileError>("{}: entry {}, '{}', has {} of {} bytes", file.path(), entries,
                            printable_name(name), content.size(), bytes);
        return content;
    }
};

TarReader::TarReader(std::string path) try : body_(std::make_unique<Body>(std::move(path))) {
    body_->open();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("TarReader");
}

TarReader::~TarReader() = default;
TarReader::TarReader(TarReader&&) noexcept = default;
TarReader& TarReader::operator=(TarReader&&) noexcept = default;

std::optional<TarReader::Entry> TarReader::next() try {
    if (!body_->next()) return std::nullopt;
    return Entry{body_->name, body_->bytes};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("TarReader", "next");
}

std::string TarReader::content() try { return body_->content(); } catch (const std::bad_alloc&) {
    throw_out_of_memory([&] { return body_->file.path() + ": " + printable_name(body_->name); });
}

const std::string& TarReader::path() const { return body_->file.path(); }

}  // namespace catena
