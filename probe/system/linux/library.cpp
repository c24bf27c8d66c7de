// SPDX-License-Identifier: MIT
// glibc's loader, as dlopen(3) and dlinfo(3) show it.
#include "probe/system/library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <memory>

#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/system/loader_path.h"

namespace probe::system {

std::string_view LoaderVariable() { return "LD_LIBRARY_PATH"; }

bool Library::IsInLoader(const std::string& /*path*/) { return false; }

std::vector<std::string> LoaderDirectories() {
  void* self = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo size{};
  if (self == nullptr || dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0) return {};
  const auto buffer = std::make_unique<std::max_align_t[]>(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* info = new (buffer.get()) Dl_serinfo(size);
  if (dlinfo(self, RTLD_DI_SERINFO, info) != 0) return {};
  std::vector<std::string> out;
  out.reserve(info->dls_cnt);
  for (unsigned int i = 0; i < info->dls_cnt; ++i) out.emplace_back(info->dls_serpath[i].dls_name);
  return out;
}

void* Library::Load(const std::string& path, std::string& reason) {
  // RTLD_NOW: a library that lacks a symbol says so here instead of dying at the first call of it.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* sentence = dlerror();
  reason = CleanText(sentence != nullptr ? sentence : path);
  return nullptr;
}

std::string Library::MappedPath(void* handle, const std::string& path) {
  link_map* map = nullptr;
  const bool known = dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr &&
                     map->l_name != nullptr;
  return known && *map->l_name == '/' ? map->l_name : path;
}

std::vector<std::string> Library::LoadedFiles(std::string_view name) {
  struct Search {
    std::string_view name;
    std::vector<std::string> found;
  } search{name, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& own = *static_cast<Search*>(data);
    const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    if (FileName(path).starts_with(own.name)) own.found.emplace_back(path);
    return 0;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

void* Library::Symbol(const char* name) const { return dlsym(handle_, name); }

}  // namespace probe::system
