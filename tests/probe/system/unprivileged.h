// SPDX-License-Identifier: MIT
// What only an ordinary user meets, also where root runs the tests; and trees that no path reaches.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace probe::system {

inline constexpr uid_t kUnprivilegedUser = 12345;

// As long as it lives this thread's process has an ordinary user's rights to files.
class Unprivileged {
 public:
  Unprivileged() : user_(geteuid()) {
    if (user_ == 0 && seteuid(kUnprivilegedUser) != 0) throw std::runtime_error("seteuid");
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() {
    if (seteuid(user_) != 0) _exit(1);
  }

 private:
  uid_t user_;
};

// Directories of one name, each in the one before, `depth` of them; the path may be longer than any call
// takes. A file of `bytes` lies in the last.
inline void MakeChain(const std::string& root, int depth, const std::string& name, std::size_t bytes = 1) {
  int at = open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < depth && at >= 0; ++i) {
    const bool made = mkdirat(at, name.c_str(), 0755) == 0;
    const int next = made ? openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    close(at);
    at = next;
  }
  const int file = openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const std::string content(bytes, 'x');
  const bool written = file >= 0 && write(file, content.data(), bytes) == static_cast<ssize_t>(bytes);
  if (file >= 0) close(file);
  if (at >= 0) close(at);
  if (!written) throw std::runtime_error("MakeChain");
}

}  // namespace probe::system
