// SPDX-License-Identifier: MIT
#include "probe/system/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "probe/system/process.h"

namespace probe::system {
namespace {

constexpr int kMaxFiles = 10000;
constexpr std::uint64_t kStatBlockBytes = 512;  // the unit of st_blocks, stat(3type)

}  // namespace

Result<ScratchDirectory> ScratchDirectory::Create(const Environment& environment) {
  int number = 0;
  for (const std::string& parent : {environment.Get("TMPDIR").value_or(""), std::string("/tmp")}) {
    if (!parent.starts_with('/')) continue;
    std::string name = parent + "/whichgpu-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      number = errno;
      continue;
    }
    auto directory = Raise(Descriptor(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)));
    number = errno;
    ScratchDirectory out(name, std::move(directory));
    if (out.directory_.ok()) return out;
  }
  return ErrnoError("mkdtemp", number);
}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(directory_, other.directory_);
  return *this;
}

ScratchDirectory::~ScratchDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ScratchDirectory::RemoveIfEmpty() {
  if (path_.empty() || rmdir(path_.c_str()) != 0) return;
  path_.clear();
  directory_.Reset();
}

bool ScratchDirectory::Exceeds(std::uint64_t max_bytes) const {
  namespace fs = std::filesystem;
  std::error_code error;
  std::uint64_t bytes = 0;
  int files = 0;
  fs::recursive_directory_iterator at(path_, fs::directory_options::skip_permission_denied, error);
  while (!error && at != fs::recursive_directory_iterator()) {
    struct stat status{};
    if (lstat(at->path().c_str(), &status) == 0)
      bytes += static_cast<std::uint64_t>(status.st_blocks) * kStatBlockBytes;
    if (bytes > max_bytes || ++files > kMaxFiles) return true;
    at.increment(error);
  }
  return false;
}

}  // namespace probe::system
