// SPDX-License-Identifier: MIT
// A file of the measurement cache, of this user but with any content.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "report/store/cache.h"
#include "tests/fuzz/faces.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch_tree.h"

namespace {

using fuzz::Require;

constexpr const char* kKey = "k";

// A cache with one entry, whose file is kept open to be overwritten.
class Entry {
 public:
  Entry()
      : files_(fuzz::Must(probe::system::FileSystem::Open("/"))),
        cache_(probe::system::Environment({{"XDG_CACHE_HOME", tree_.root()}}), files_) {
    Require(cache_.Keep(kKey, report::Effort::kQuick, {}).empty(), "an empty record is kept");
    for (const auto& file : std::filesystem::directory_iterator(tree_.root() + "/whichgpu")) {
      if (file.path().extension() == ".json") path_ = file.path();
    }
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    Require(fd_ >= 0, "a kept record is a file", path_);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() { close(fd_); }

  void Write(std::string_view text) const {
    const bool written = ftruncate(fd_, 0) == 0 &&
                         pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    Require(written, "the entry can be overwritten", path_);
  }
  [[nodiscard]] report::CacheLookup Find() const { return cache_.Find(kKey, report::Effort::kQuick); }

 private:
  fuzz::ScratchTree tree_;
  probe::system::FileSystem files_;
  report::MeasurementCache cache_;
  std::string path_;
  int fd_ = -1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Entry entry;
  entry.Write(fuzz::AsText(data, size));
  const auto found = entry.Find();
  fuzz::RequireLine(found.note);
  if (!found.record) return 0;
  Require(found.note.empty(), "what is used needs no note", found.note);
  const auto again = fuzz::ReadRequired(report::EncodeRecord(*found.record));
  Require(again.has_value(), "a kept record is one");
  return 0;
}
