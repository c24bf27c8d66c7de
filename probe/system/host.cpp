// SPDX-License-Identifier: MIT
#include "probe/system/host.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "probe/core/text.h"
#include "probe/system/processor.h"
#include "probe/system/wsl.h"

namespace probe::system {
namespace {

// "KEY=value" of a line of an os-release file, the value without its quotes (os-release(5)); nullopt where it
// says nothing.
std::optional<std::pair<std::string, std::string>> Assignment(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  auto value = line.substr(equals + 1);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  if (value.empty()) return std::nullopt;
  return std::pair(std::string(line.substr(0, equals)), CleanText(value, 128));
}

using Assignments = std::map<std::string, std::string>;

// Of a key that stands twice the first.
Assignments AssignmentsOf(const std::string& text) {
  Assignments out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto assignment = Assignment(line)) out.insert(*std::move(assignment));
  }
  return out;
}

// Of the first of the two files that has any.
Assignments ReadOsRelease(const FileSystem& files) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto content = files.Read(path, 64U << 10U);
    if (auto found = AssignmentsOf(content ? *content : ""); !found.empty()) return found;
  }
  return {};
}

std::optional<std::string> Find(const Assignments& assignments, const std::string& key) {
  const auto found = assignments.find(key);
  return found == assignments.end() ? std::nullopt : std::optional(found->second);
}

// Derivatives name the release that they are made from by a key of that distribution's: <NAME>_CODENAME.
std::optional<std::string> ParentCodename(const Assignments& assignments) {
  for (const auto& [key, value] : assignments) {
    if (key.ends_with("_CODENAME") && key != "VERSION_CODENAME") return value;
  }
  return std::nullopt;
}

std::optional<OsRelease> DescribeOsRelease(const Assignments& assignments) {
  if (assignments.empty()) return std::nullopt;
  OsRelease out;
  out.id = Find(assignments, "ID").value_or("linux");
  std::istringstream words(Find(assignments, "ID_LIKE").value_or(""));
  for (std::string word; words >> word;) out.id_like.push_back(word);
  out.version_id = Find(assignments, "VERSION_ID");
  out.variant_id = Find(assignments, "VARIANT_ID");
  out.codename = Find(assignments, "VERSION_CODENAME");
  out.parent_codename = ParentCodename(assignments);
  return out;
}

// The C library that programs here are loaded with: of this process itself (confstr(3)), else by its files.
std::optional<std::string> CLibrary(const FileSystem& files) {
  if (auto here = files.live() ? CLibraryHere() : std::nullopt) return here;
  constexpr std::size_t kMostBytes = 4U << 20U;
  constexpr std::string_view kRelease = "GNU C Library";
  constexpr std::string_view kVersion = "release version ";
  for (const char* folder :
       {"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/lib", "/usr/lib64", "/usr/lib"}) {
    const auto library = files.Read(std::string(folder) + "/libc.so.6", kMostBytes);
    const auto at = library ? library->find(kRelease) : std::string::npos;
    const auto version = at == std::string::npos ? at : library->find(kVersion, at);
    if (version == std::string::npos) continue;
    const auto start = version + kVersion.size();
    if (start >= library->size() || (*library)[start] < '0' || (*library)[start] > '9') continue;
    return "glibc " +
           CleanText(library->substr(start, library->find_first_not_of("0123456789.", start) - start), 16);
  }
  for (const std::string& file : files.List("/lib")) {
    if (file.starts_with("ld-musl-")) return "musl";
  }
  return std::nullopt;
}

std::optional<std::string> Virtualization(const FileSystem& files) {
  if (files.live() && ControlNumber("kern.hv_vmm_present").value_or(0) != 0) return "virtual machine";
  if (files.Exists(kWslGpuNode)) return std::string(kWsl2);
  const auto hypervisor = files.ReadLine("/sys/hypervisor/type");
  if (hypervisor) return CleanText(*hypervisor, 64);
  const auto info = files.Read("/proc/cpuinfo", 64U << 10U);
  if (info && info->find(" hypervisor") != std::string::npos) return "virtual machine";
  return std::nullopt;
}

// Of a kernel that has its system's version itself: there is one system of its.
void DescribeByKernel(HostFacts& host) {
  const auto version = ControlText("kern.osproductversion");
  if (!version || version->empty()) return;
  host.os = "macOS " + CleanText(*version, 32);
  host.system = "macos";
}

// "cpu3 user nice system idle iowait irq softirq steal guest guest_nice": the busy ones, in ticks. Guests are
// in user and nice already.
std::optional<double> BusyTicks(const std::string& line, const std::vector<int>& usable) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  if (!name.starts_with("cpu") || name.size() < 4) return std::nullopt;
  int processor = -1;
  const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), processor);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (!usable.empty() && std::find(usable.begin(), usable.end(), processor) == usable.end())
    return std::nullopt;
  double busy = 0;
  double ticks = 0;
  for (int column = 0; column < 8 && words >> ticks; ++column) {
    const bool idle = column == 3 || column == 4;
    if (!idle) busy += ticks;
  }
  return busy;
}

}  // namespace

// Files that container engines leave (podman, Docker), and the variable that systemd's convention sets.
std::optional<std::string> ContainerOf(const FileSystem& files, const Environment& environment) {
  if (files.Exists("/.dockerenv")) return "docker";
  if (files.Exists("/run/.containerenv")) return "podman";
  if (const auto engine = environment.Get("container"); engine && files.live()) return CleanText(*engine, 64);
  if (const auto root = files.ReadLine("/run/systemd/container")) return CleanText(*root, 64);
  return std::nullopt;
}

std::optional<OsRelease> ParseOsRelease(const std::string& text) {
  return DescribeOsRelease(AssignmentsOf(text));
}

HostFacts DescribeHost(const FileSystem& files, const Environment& environment) {
  HostFacts host;
  const auto os_release = ReadOsRelease(files);
  host.os = Find(os_release, "PRETTY_NAME");
  host.os_release = DescribeOsRelease(os_release);
  host.libc = CLibrary(files);
  host.container = ContainerOf(files, environment);
  host.virtualization = Virtualization(files);
  if (const auto names = ReadKernelNames(); files.live() && !names.machine.empty()) {
    host.name = CleanText(names.host, 128);
    host.kernel = CleanText(names.release, 128);
    host.architecture = CleanText(names.machine, 32);
    DescribeByKernel(host);
    return host;
  }
  if (const auto name = files.ReadLine("/etc/hostname")) host.name = CleanText(*name, 128);
  if (const auto release = files.ReadLine("/proc/sys/kernel/osrelease"))
    host.kernel = CleanText(*release, 128);
  host.architecture = "unknown";
  return host;
}

Memory ReadMemory(const FileSystem& files) {
  Memory out;
  const auto text = files.Read("/proc/meminfo");
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto digits = line.find_first_of("0123456789");
    if (digits == std::string_view::npos) continue;
    std::uint64_t kib = 0;
    const auto parsed = std::from_chars(line.data() + digits, line.data() + line.size(), kib);
    if (parsed.ec != std::errc() || kib > UINT64_MAX / 1024) continue;
    const std::uint64_t bytes = kib * 1024;
    if (line.starts_with("MemTotal:")) out.total_bytes = bytes;
    if (line.starts_with("MemAvailable:")) out.available_bytes = bytes;
  }
  return out;
}

std::optional<double> BusySeconds(const FileSystem& files, const std::vector<int>& usable) {
  const auto text = files.Read("/proc/stat", std::size_t{1} << 20U);
  if (!text) return files.live() ? BusySecondsHere() : std::nullopt;
  std::istringstream lines(*text);
  std::optional<double> sum;
  for (std::string line; std::getline(lines, line);) {
    if (const auto ticks = BusyTicks(line, usable)) sum = sum.value_or(0) + *ticks;
  }
  if (!sum) return std::nullopt;
  return *sum / static_cast<double>(std::max(sysconf(_SC_CLK_TCK), 1L));
}

std::optional<std::string> BootId(const FileSystem& files) {
  if (auto id = files.ReadLine("/proc/sys/kernel/random/boot_id")) return id;
  return files.live() ? ControlText("kern.bootsessionuuid") : std::nullopt;
}

std::string KernelText(const FileSystem& files) {
  if (auto text = files.ReadLine("/proc/version")) return *std::move(text);
  return files.live() ? ControlText("kern.version").value_or("") : std::string();
}

// avg10 of "some avg10=1.23 avg60=...".
std::optional<double> CpuPressurePercent(const FileSystem& files) {
  constexpr std::string_view kKey = "some avg10=";
  const auto text = files.Read("/proc/pressure/cpu", 4096);
  if (!text) return std::nullopt;
  const std::size_t at = text->find(kKey);
  if (at == std::string::npos) return std::nullopt;
  double percent = 0;
  const char* first = text->data() + at + kKey.size();
  if (std::from_chars(first, text->data() + text->size(), percent).ec != std::errc()) return std::nullopt;
  return percent;
}

}  // namespace probe::system
