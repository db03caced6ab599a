#include "runtime/comm/tcp/place.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/comm/collectives/communication_error.h"
#include "runtime/comm/tcp/socket.h"
#include "runtime/comm/tcp/authentication.h"

namespace catena {
namespace {

constexpr size_t shortest_secret = 16;
constexpr size_t longest_place = 1024;

std::string name_of_this_machine() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
}

/// Throws unless the file is a plain one that its owner alone, this user, can read and write.
void check_owner(const std::string& path, const struct stat& status) {
    if (!S_ISREG(status.st_mode))
        fail<CommunicationError>("rendezvous: {} is no plain file; remove it, or use another name",
                                 path);
    if (status.st_uid != geteuid())
        fail<CommunicationError>(
            "rendezvous: the file {} belongs to user {}, not to this one ({}): that user could "
            "send this rank anywhere; remove it, or use a folder in which others cannot write",
            path, status.st_uid, geteuid());
    if ((status.st_mode & 077) != 0)
        fail<CommunicationError>(
            "rendezvous: the file {} has mode {:04o}: other users may read or change it; rank 0 "
            "writes it with 0600; remove it",
            path, status.st_mode & 07777);
}

void check_secret(const Place& place, const std::string& text) {
    if (!place.secret.empty() && place.secret.size() < shortest_secret)
        fail<ValueError>(
            "rendezvous: CATENA_RENDEZVOUS_SECRET has {} characters, at least {} are needed; "
            "openssl rand -hex 32 prints a good one",
            place.secret.size(), shortest_secret);
    if (place.secret.empty() && place.file.empty() && !is_loopback(place.host))
        fail<ValueError>(
            "rendezvous: {} can be reached by other machines, and anybody there could join or "
            "disturb this job; set CATENA_RENDEZVOUS_SECRET to the same secret on all ranks "
            "(openssl rand -hex 32 prints one), use file:///FOLDER/NAME, or, on one machine, "
            "tcp://127.0.0.1:PORT",
            text);
}

Place parse(const std::string& text) {
    if (text.starts_with("file://") && text.size() > 7) return {.file = text.substr(7)};
    if (text.starts_with("tcp://")) {
        const size_t colon = text.rfind(':');
        Place parsed{.host = text.substr(6, colon > 6 ? colon - 6 : 0)};
        if (parsed.host.size() > 2 && parsed.host[0] == '[')  // IPv6
            parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
        const char *begin = text.data() + colon + 1, *end = text.data() + text.size();
        const auto [last, error] = std::from_chars(begin, end, parsed.port);
        if (colon > 6 && error == std::errc() && last == end && parsed.port > 0 &&
            parsed.port < 65536)
            return parsed;
    }
    fail<ValueError>("rendezvous: '{}' is not a place; use tcp://HOST:PORT or file:///FOLDER/NAME",
                     text);
}

}  // namespace

Place place_of(const Invitation& where) {
    Place place = parse(where.place);
    place.secret = where.secret;
    if (where.size > 1) check_secret(place, where.place);
    return place;
}

void write_place(const Place& place, const std::string& secret_of_file) {
    struct stat status{};
    if (lstat(place.file.c_str(), &status) == 0) check_owner(place.file, status);
    const std::string temporary = place.file + "." + hexadecimal(random_digest()).substr(0, 16);
    const std::string text =
        fmt::format("{} {} {}\n", name_of_this_machine(), place.port, secret_of_file);
    const int file =
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const bool written = file >= 0 && write(file, text.data(), text.size()) == ssize_t(text.size());
    if (file >= 0) close(file);
    if (written && rename(temporary.c_str(), place.file.c_str()) == 0) return;
    const std::string problem = std::strerror(errno);
    if (file >= 0) unlink(temporary.c_str());
    fail<CommunicationError>("rendezvous: the file {} cannot be written: {}", place.file, problem);
}

bool read_place(Place& place) {
    // Opening a pipe would wait for somebody who writes to it.
    const int file = open(place.file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ELOOP)
        fail<CommunicationError>(
            "rendezvous: {} is a symbolic link, which is not followed: it may lead to a file of "
            "others; name the file itself",
            place.file);
    if (file < 0) return false;
    const Socket owner(file);  // Closes it.
    struct stat status{};
    if (fstat(file, &status) != 0) return false;
    check_owner(place.file, status);
    std::string text(longest_place, 0);
    const ssize_t got = read(file, text.data(), text.size());
    text.resize(size_t(got > 0 ? got : 0));
    std::istringstream words(text);
    std::string secret;
    return bool(words >> place.host >> place.port >> secret) && (place.secret += secret, true);
}

}  // namespace catena
