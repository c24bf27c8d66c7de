// SPDX-License-Identifier: MIT
// dyld, as dlopen(3) and dyld(3) of macOS show it.
#include "probe/system/library.h"

#include <dlfcn.h>
#include <mach-o/dyld.h>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/system/loader_path.h"

namespace probe::system {

std::string_view LoaderVariable() { return "DYLD_LIBRARY_PATH"; }

// Where a name without a folder is looked for at last, dyld(1), DYLD_FALLBACK_LIBRARY_PATH.
std::vector<std::string> LoaderDirectories() { return {"/usr/local/lib", "/usr/lib"}; }

// Since macOS 11 the system's own libraries and frameworks are no files: the loader has all of them in one
// cache, of the system's sealed volume.
bool Library::IsInLoader(const std::string& path) { return _dyld_shared_cache_contains_path(path.c_str()); }

void* Library::Load(const std::string& path, std::string& reason) {
  // RTLD_NOW: a library that lacks a symbol says so here instead of dying at the first call of it.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* sentence = dlerror();
  reason = CleanText(sentence != nullptr ? sentence : path);
  return nullptr;
}

// No call leads from a handle to a file.
std::string Library::MappedPath(void* /*handle*/, const std::string& path) { return path; }

// By number: what is loaded or unloaded meanwhile is missed, or asked for in vain.
std::vector<std::string> Library::LoadedFiles(std::string_view name) {
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < _dyld_image_count(); ++i) {
    const char* path = _dyld_get_image_name(i);
    if (path != nullptr && FileName(path).starts_with(name)) found.emplace_back(path);
  }
  return found;
}

void* Library::Symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace probe::system
