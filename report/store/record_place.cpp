// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "probe/system/own_file.h"
#include "report/store/record.h"

namespace report {
namespace {

namespace fs = std::filesystem;

bool IsTaken(int error) { return error == ENOTEMPTY || error == EEXIST; }

// For file systems that exchange nothing. Between the first step and the next the place is empty, and
// another run may take it: what was there before is older than what is there then. Where it can not be put
// back for another reason it stays beside its place.
int ReplaceInSteps(const fs::path& scratch, const fs::path& target, const Renaming& names) {
  fs::path old = scratch;
  old += "-old";
  if (const int error = names.rename(target, old)) return error;
  const bool was_record = IsRecord(old);  // and not what somebody put there meanwhile
  const int error = was_record ? names.rename(scratch, target) : ENOTEMPTY;
  const bool was_replaced = error == 0 || IsTaken(names.rename(old, target));
  std::error_code ignored;
  if (was_record && was_replaced) fs::remove_all(old, ignored);
  return error;
}

int ReplaceAtOnce(const fs::path& scratch, const fs::path& target, const Renaming& names) {
  if (const int error = names.exchange(scratch, target)) return error;
  std::error_code ignored;
  if (IsRecord(scratch)) {
    fs::remove_all(scratch, ignored);
    return 0;
  }
  const int error = names.exchange(scratch, target);
  return error == 0 ? ENOTEMPTY : error;
}

}  // namespace

bool IsRecord(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(directory / kRecordFile, error))) return false;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const auto name = entry->path().filename();
    if (name != kRecordFile && name != kFilesFolder) return false;
  }
  return !error;
}

Renaming SystemsRenaming() {
  const auto rename = [](const fs::path& from, const fs::path& to) {
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  };
  const auto exchange = [](const fs::path& one, const fs::path& other) {
    const auto status = probe::system::Exchange(one, other);
    return status ? 0 : static_cast<int>(status.error().code.value_or(EIO));
  };
  return {rename, exchange};
}

int PutInPlace(const fs::path& scratch, const fs::path& target, const Renaming& names) {
  constexpr int kMostTries = 100;  // as often as others are faster
  int error = 0;
  for (int i = 0; i < kMostTries; ++i) {
    error = names.rename(scratch, target);
    if (!IsTaken(error)) break;
    if (!IsRecord(target)) continue;  // somebody else's, or another run is between its steps
    error = ReplaceAtOnce(scratch, target, names);
    if (error == EINVAL || error == ENOSYS) error = ReplaceInSteps(scratch, target, names);
    if (error != ENOENT && !IsTaken(error)) break;
  }
  return error;
}

}  // namespace report
