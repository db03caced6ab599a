#include "frontend/download/download.h"

#include <curl/curl.h>
#include <openssl/evp.h>

#include <memory>

#include <fmt/format.h>

#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"
#include "runtime/file/file.h"

namespace catena {

namespace fs = std::filesystem;

namespace {

std::string digest_of(const std::string& content, const EVP_MD* method) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (!EVP_Digest(content.data(), content.size(), digest, &length, method, nullptr))
        fail<FileError>("download: this OpenSSL cannot compute {}", EVP_MD_get0_name(method));
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
}

size_t append(char* data, size_t size, size_t count, void* text) {
    static_cast<std::string*>(text)->append(data, size * count);
    return size * count;
}

/// The content of `url`; on failure `problem` has the reason.
std::string fetch(const std::string& url, std::string& problem) {
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    const std::unique_ptr<CURL, void (*)(CURL*)> handle(curl_easy_init(), curl_easy_cleanup);
    if (initialised != CURLE_OK || !handle) {
        problem = "libcurl cannot be initialised";
        return "";
    }
    std::string content;
    curl_easy_setopt(handle.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle.get(), CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(handle.get(), CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(handle.get(), CURLOPT_CONNECTTIMEOUT, 15L);
    // Aborts only if nothing arrives for a minute.
    curl_easy_setopt(handle.get(), CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle.get(), CURLOPT_LOW_SPEED_TIME, 60L);
    curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &content);
    const CURLcode code = curl_easy_perform(handle.get());
    if (code == CURLE_OK) return content;
    problem = curl_easy_strerror(code);
    return "";
}

/// "" when the content has the checksums of `file`.
std::string wrong_checksum(const RemoteFile& file, const std::string& content) {
    const struct {
        const char* name;
        const std::string& expected;
        const EVP_MD* method;
    } sums[] = {{"sha256", file.sha256, EVP_sha256()}, {"md5", file.md5, EVP_md5()}};
    for (const auto& sum : sums) {
        if (sum.expected.empty()) continue;
        const std::string found = digest_of(content, sum.method);
        if (found != sum.expected)
            return fmt::format("{} bytes with {} {}, expected {}", content.size(), sum.name, found,
                               sum.expected);
    }
    return "";
}

void store(const fs::path& path, const std::string& content) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error)
        fail<FileError>("download: cannot create {}: {}", path.parent_path().string(),
                        error.message());
    AtomicFile file(path.string());
    file.write(content.data(), content.size());
    file.commit();
}

void download(const fs::path& folder, const RemoteFile& file,
              const std::vector<std::string>& base_urls) {
    std::string problems;
    for (const auto& base : base_urls) {
        const std::string url = base + file.name;
        say(LogLevel::info, fmt::format("downloading {}", url));
        std::string problem;
        const std::string content = fetch(url, problem);
        if (!problem.empty()) {
            problems += fmt::format("\n  {}: {}", url, problem);
            continue;
        }
        const std::string wrong = wrong_checksum(file, content);
        if (wrong.empty()) return store(folder / file.name, content);
        problems += fmt::format("\n  {}: {}", url, wrong);
    }
    fail<FileError>(
        "{} is not in {} and cannot be downloaded:{}\nWithout a network, put the file there by "
        "hand or "
        "read a folder that has it (the examples: --data FOLDER)",
        file.name, folder.string(), problems);
}

}  // namespace

void download_missing(const fs::path& folder, const std::vector<RemoteFile>& files,
                      const std::vector<std::string>& base_urls) {
    std::error_code unknown;  // Errors here show again on reading or writing.
    for (const auto& file : files)
        if (!fs::exists(folder / file.name, unknown)) download(folder, file, base_urls);
}

std::string cached_download(const std::string& url, const std::string& sha256) {
    const fs::path path =
        get_dataset_directory("_dl_cache") / digest_of(url, EVP_sha256()).substr(0, 32);
    std::error_code unknown;
    if (fs::exists(path, unknown)) return path.string();
    say(LogLevel::info, fmt::format("downloading {}", url));
    std::string problem;
    const std::string content = fetch(url, problem);
    if (problem.empty()) problem = wrong_checksum({url, sha256}, content);
    if (!problem.empty())
        fail<FileError>("{} cannot be downloaded: {}\nWithout a network, put its content into {}",
                        url, problem, path.string());
    store(path, content);
    return path.string();
}

}  // namespace catena
