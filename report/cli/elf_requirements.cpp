// SPDX-License-Identifier: MIT
#include "report/cli/elf_requirements.h"

#include <link.h>

#include <charconv>
#include <utility>
#include <vector>

namespace report {
namespace {

using Dynamic = ElfW(Dyn);
using Version = std::pair<unsigned int, unsigned int>;

// "GLIBC_2.34" or "GLIBC_2.3.4", whose third part no comparison needs.
std::optional<Version> Parse(std::string_view name) {
  constexpr std::string_view kPrefix = "GLIBC_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const char* end = name.data() + name.size();
  Version out;
  const auto major = std::from_chars(name.data(), name.data() + name.size(), out.first);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, out.second);
  if (minor.ec != std::errc()) return std::nullopt;
  return out;
}

// The dynamic section's addresses are relocated in memory or not, depending on the loader and the entry.
const char* Relocated(const dl_phdr_info& object, ElfW(Addr) address) {
  if (address < object.dlpi_addr) address += object.dlpi_addr;
  return reinterpret_cast<const char*>(address);  // NOLINT(performance-no-int-to-ptr): it is one
}

// The names in the section of needed versions (gABI extension, Linux Standard Base Core "Version
// Requirements").
std::vector<std::string_view> NeededVersions(const dl_phdr_info& object, const Dynamic* dynamic) {
  const char* strings = nullptr;
  const char* needed = nullptr;
  std::size_t files = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_STRTAB) strings = Relocated(object, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_VERNEED) needed = Relocated(object, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_VERNEEDNUM) files = dynamic->d_un.d_val;
  }
  std::vector<std::string_view> out;
  if (strings == nullptr || needed == nullptr) return out;
  for (std::size_t file = 0; file < files; ++file) {
    const auto* entry = reinterpret_cast<const ElfW(Verneed)*>(needed);
    const char* at = needed + entry->vn_aux;
    for (std::size_t i = 0; i < entry->vn_cnt; ++i) {
      const auto* version = reinterpret_cast<const ElfW(Vernaux)*>(at);
      out.emplace_back(strings + version->vna_name);
      at += version->vna_next;
    }
    needed += entry->vn_next;
  }
  return out;
}

// The first object is the program itself, dl_iterate_phdr(3).
int OfFirstObject(dl_phdr_info* object, std::size_t, void* out) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto address = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    const auto* dynamic =
        reinterpret_cast<const Dynamic*>(address);  // NOLINT(performance-no-int-to-ptr): it is one
    *static_cast<std::optional<std::string>*>(out) = NewestGlibc(NeededVersions(*object, dynamic));
  }
  return 1;
}

}  // namespace

std::optional<std::string> NewestGlibc(std::span<const std::string_view> version_names) {
  std::optional<Version> newest;
  for (const auto name : version_names) {
    if (const auto version = Parse(name); version && (!newest || *version > *newest)) newest = version;
  }
  if (!newest) return std::nullopt;
  return std::to_string(newest->first) + "." + std::to_string(newest->second);
}

std::optional<std::string> NewestGlibcNeeded() {
  std::optional<std::string> out;
  dl_iterate_phdr(OfFirstObject, &out);
  return out;
}

}  // namespace report
