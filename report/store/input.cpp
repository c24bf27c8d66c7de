// SPDX-License-Identifier: MIT
#include "report/store/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "probe/core/codec.h"
#include "probe/core/text.h"
#include "probe/system/descriptor.h"

namespace report {

probe::Error FileError(const std::string& path, std::string_view text) {
  return {"", std::nullopt, "", fmt::format("{}: {}", probe::CleanText(path, 300), text)};
}

probe::Error InputError(const std::string& path, std::string_view text) {
  return FileError(InputName(path), text);
}

namespace {

using probe::system::Descriptor;

probe::Error Unreadable(const std::string& path) {
  return InputError(path, std::string("can not be read: ") +
                              std::strerror(errno));  // NOLINT(concurrency-mt-unsafe): one thread
}

// Looked at before it is opened, for that alone may set a device in motion, or wait for a pipe's other end.
probe::Status CheckKind(const std::string& path, mode_t mode, Accepted accepted) {
  const bool is_pipe = S_ISFIFO(mode) || S_ISSOCK(mode);
  if (S_ISREG(mode) || (accepted == Accepted::kFilesAndPipes && is_pipe)) return probe::Ok();
  return InputError(path, accepted == Accepted::kFiles ? "is not a file" : "is not a file or a pipe");
}

probe::Result<Descriptor> OpenText(const std::string& path, Accepted accepted) {
  struct stat status{};
  if (accepted == Accepted::kFilesAndPipes && path == kStandardInput) {
    if (fstat(STDIN_FILENO, &status) != 0) return Unreadable(path);
    if (auto kind = CheckKind(path, status.st_mode, accepted); !kind) return kind.error();
    Descriptor copy(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!copy.ok()) return Unreadable(path);
    return copy;
  }
  if (path.empty()) return InputError("''", "names no file");
  if (path == kStandardInput) return InputError(path, "is not read here; name a file");
  if (stat(path.c_str(), &status) != 0)
    return errno == ENOENT || errno == ENOTDIR ? InputError(path, "there is no such file") : Unreadable(path);
  if (auto kind = CheckKind(path, status.st_mode, accepted); !kind) return kind.error();
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.ok()) return Unreadable(path);
  return file;
}

// For more of a pipe whose other holders do not want to wait for it (O_NONBLOCK). False, with errno, where
// that can not be waited for.
bool Wait(int descriptor) {
  pollfd waited{descriptor, POLLIN, 0};
  return poll(&waited, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

std::string InputName(const std::string& path) { return path == kStandardInput ? "standard input" : path; }

probe::Result<std::string> ReadTextFile(const std::string& path, Accepted accepted) {
  const auto file = OpenText(path, accepted);
  if (!file) return file.error();
  std::string content;
  std::array<char, 4096> buffer;  // stacks may be small (ulimit -s)
  for (;;) {
    const ssize_t got = read(file->get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && Wait(file->get())))) continue;
    if (got < 0) return Unreadable(path);
    if (got == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(got));
    if (content.size() > kMaxTextFileBytes)
      return InputError(path, fmt::format("is too large: more than {} bytes", kMaxTextFileBytes));
  }
}

namespace {

// Keys of all objects, as they stand in the text: a document that parsed has a colon behind each and no
// other.
std::size_t KeysIn(std::string_view text) {
  std::size_t keys = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      in_string = !in_string;
    else if (in_string)
      i += c == '\\' ? 1 : 0;
    else if (c == ':')
      ++keys;
  }
  return keys;
}

// What is counted and found on one walk through a document.
struct Walk {
  std::size_t keys = 0;
  std::string overlong;  // the key that holds a text of that kind

  void Visit(const probe::Json& json, const std::string& key) {
    if (json.is_string() && json.get_ref<const std::string&>().size() > probe::kMaxDecodedTextBytes)
      overlong = key;
    if (json.is_object()) {
      keys += json.size();
      for (const auto& [name, value] : json.items()) Visit(value, name);
    } else if (json.is_array()) {
      for (const probe::Json& value : json) Visit(value, key);
    }
  }
};

}  // namespace

probe::Result<probe::Json> ReadJsonFile(const std::string& path, std::string_view kind, Accepted accepted) {
  const auto text = ReadTextFile(path, accepted);
  if (!text) return text.error();
  const auto fail = [&](const std::string& what) { return InputError(path, std::string(kind) + what); };
  auto json = probe::ParseJson(*text, kMaxTextFileBytes);
  if (!json) return fail(probe::Describe(json.error()));
  Walk walk;
  walk.Visit(*json, "document");
  if (!walk.overlong.empty()) {
    return fail(fmt::format("{}: expected a text of at most {} bytes", probe::CleanText(walk.overlong, 64),
                            probe::kMaxDecodedTextBytes));
  }
  if (walk.keys != KeysIn(*text))
    return fail(fmt::format("the key '{}' stands twice in one object",
                            probe::CleanText(probe::RepeatedKey(*text), 64)));
  return json;
}

}  // namespace report
