// SPDX-License-Identifier: MIT
// dlopen with a search order, a trust check and the name of what was really loaded. Libraries are never
// closed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probe/core/report.h"
#include "probe/core/result.h"
#include "probe/system/environment.h"
#include "probe/system/filesystem.h"

namespace probe::system {

class Library {
 public:
  // Tries each soname in order ("libvulkan.so.1", "libvulkan.so") in WHICHGPU_LIBRARY_PATH; then each in the
  // loader's own path and `directories` (vendor prefixes). Never the current directory. A soname that is a
  // path means the file there, or what the loader has without one; a library of macOS
  // ("/System/Library/Frameworks/Metal.framework/Metal") is first looked for by its last part in
  // WHICHGPU_LIBRARY_PATH alone, for that may be anything's name in the system's folders. Every file is
  // checked (CheckTrusted) before it reaches the loader; refused ones are named in the error. The error is
  // OwnError::kAbsent when no file was found, kRefused when one was but is not trusted, else "unloadable"
  // with the loader's sentence (wrong class, missing dependency, ...). Files with a path of `passed_over`,
  // their real one as info() has it, are as if they were not there.
  [[nodiscard]] static Result<Library> Open(std::span<const std::string_view> sonames,
                                            std::span<const std::string> directories, const FileSystem& files,
                                            const Environment& environment,
                                            std::span<const std::string> passed_over = {});

  // What Open would load, without loading it: the first file that is there and trusted. The errors are
  // Open's.
  [[nodiscard]] static Result<probe::Library> Find(std::span<const std::string_view> sonames,
                                                   std::span<const std::string> directories,
                                                   const FileSystem& files, const Environment& environment,
                                                   std::span<const std::string> passed_over = {});

  // Whether Open would find a file, trusted and loadable or not.
  [[nodiscard]] static bool Exists(std::span<const std::string_view> sonames,
                                   std::span<const std::string> directories, const FileSystem& files,
                                   const Environment& environment);

  // Whether WHICHGPU_LIBRARY_PATH, which somebody set for this tool alone, holds a file of such a name.
  [[nodiscard]] static bool IsNamedByUser(std::span<const std::string_view> sonames, const FileSystem& files,
                                          const Environment& environment);

  // Whether of all that Open searches WHICHGPU_LIBRARY_PATH alone leads to this file, whose real path it is,
  // as info() has it: then other programs do not find it.
  [[nodiscard]] static bool IsForToolAlone(std::string_view path, std::span<const std::string_view> sonames,
                                           std::span<const std::string> directories, const FileSystem& files,
                                           const Environment& environment);

  // Paths of the files that this process has loaded whose name begins so, by whichever library they came
  // along.
  [[nodiscard]] static std::vector<std::string> LoadedFiles(std::string_view name);

  // Address of a symbol, or nullptr.
  [[nodiscard]] void* Symbol(const char* name) const;
  template <class F>
  [[nodiscard]] F Function(const char* name) const {
    return reinterpret_cast<F>(Symbol(name));  // POSIX: dlsym's result converts to a function pointer
  }
  // soname and the real path of the mapped file.
  [[nodiscard]] const probe::Library& info() const { return info_; }

 private:
  // Whether the loader has a library of this path in a cache of the system's own, where there is no file.
  [[nodiscard]] static bool IsInLoader(const std::string& path);
  // A handle, or nullptr and the loader's sentence.
  [[nodiscard]] static void* Load(const std::string& path, std::string& reason);
  // The path of a loaded library as the loader has it.
  [[nodiscard]] static std::string MappedPath(void* handle, const std::string& path);
  Library(void* handle, probe::Library info) : handle_(handle), info_(std::move(info)) {}
  void* handle_ = nullptr;
  probe::Library info_;
};

}  // namespace probe::system
