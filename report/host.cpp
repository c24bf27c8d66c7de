// SPDX-License-Identifier: MIT
#include "report/host.h"

#include <sys/utsname.h>

#include <array>

#include "probe/core/text.h"
#include "probe/system/wsl.h"

namespace report {
namespace {

// Value of `key=` in an os-release file, without its quotes (os-release(5)).
std::optional<std::string> OsReleaseValue(const std::string& content, std::string_view key) {
  for (std::size_t start = 0; start < content.size();) {
    auto end = content.find('\n', start);
    if (end == std::string::npos) end = content.size();
    std::string_view line(content.data() + start, end - start);
    start = end + 1;
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    if (line.size() >= 2 && (line.front() == '"' || line.front() == '\'') && line.back() == line.front()) {
      line = line.substr(1, line.size() - 2);
    }
    if (!line.empty()) return probe::CleanText(line, 128);
  }
  return std::nullopt;
}

std::optional<std::string> OperatingSystem(const probe::system::FileSystem& files) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto content = files.Read(path, 64U << 10U);
    if (!content) continue;
    if (auto name = OsReleaseValue(*content, "PRETTY_NAME=")) return name;
  }
  return std::nullopt;
}

// Files that container engines leave (podman, Docker), and the variable that systemd's convention sets.
std::optional<std::string> Container(const probe::system::FileSystem& files,
                                     const probe::system::Environment& environment) {
  if (files.Exists("/.dockerenv")) return "docker";
  if (files.Exists("/run/.containerenv")) return "podman";
  if (const auto engine = environment.Get("container"); engine && files.live())
    return probe::CleanText(*engine, 64);
  if (const auto root = files.ReadLine("/run/systemd/container")) return probe::CleanText(*root, 64);
  return std::nullopt;
}

std::optional<std::string> Virtualization(const probe::system::FileSystem& files) {
  if (files.Exists(probe::system::kWslGpuNode)) return "wsl2";
  const auto hypervisor = files.ReadLine("/sys/hypervisor/type");
  if (hypervisor) return probe::CleanText(*hypervisor, 64);
  const auto info = files.Read("/proc/cpuinfo", 64U << 10U);
  if (info && info->find(" hypervisor") != std::string::npos) return "virtual machine";
  return std::nullopt;
}

}  // namespace

Host DescribeHost(const probe::system::FileSystem& files, const probe::system::Environment& environment) {
  Host host;
  host.os = OperatingSystem(files);
  host.container = Container(files, environment);
  host.virtualization = Virtualization(files);
  utsname names{};
  if (files.live() && uname(&names) == 0) {
    host.name = probe::CleanText(static_cast<const char*>(names.nodename), 128);
    host.kernel = probe::CleanText(static_cast<const char*>(names.release), 128);
    host.architecture = probe::CleanText(static_cast<const char*>(names.machine), 32);
    return host;
  }
  if (const auto name = files.ReadLine("/etc/hostname")) host.name = probe::CleanText(*name, 128);
  if (const auto release = files.ReadLine("/proc/sys/kernel/osrelease"))
    host.kernel = probe::CleanText(*release, 128);
  host.architecture = "unknown";
  return host;
}

}  // namespace report
