// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "probe/core/other_devices.h"
#include "probe/core/parse.h"
#include "probe/core/text.h"
#include "probe/core/vendor.h"
#include "probe/system/cgroup.h"
#include "probe/system/host.h"
#include "probe/system/limits.h"
#include "probe/system/loader_path.h"
#include "probe/system/node_access.h"
#include "probe/system/power.h"
#include "probe/system/processor.h"
#include "probe/system/scratch.h"
#include "probe/system/this_process.h"
#include "probe/system/wsl.h"
#include "report/store/cache.h"

namespace report {
namespace {

using probe::system::Environment;
using probe::system::FileSystem;

constexpr std::size_t kMaxManifestBytes = 64U << 10U;

class KeyText {
 public:
  void Add(std::string_view name, const std::string& value) {
    constexpr std::size_t kMaxValueBytes = 4096;
    text_.append(name).append("=").append(probe::CleanText(value, kMaxValueBytes)).append("\n");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string StatText(const FileSystem& files, const std::string& path) {
  const auto status = files.Stat(path);
  if (!status) return "none";
  return fmt::format("{}:{} {} {} {:o} {}:{}", status->device, status->inode, status->size_bytes,
                     status->modified_ns, status->mode, status->owner_uid, status->owner_gid);
}

void AddOptions(const RunRequest& request, KeyText& key) {
  key.Add("only", fmt::format("{}", fmt::join(request.only, ",")));
  key.Add("skip", fmt::format("{}", fmt::join(request.skip, ",")));
  key.Add("device", request.device.value_or(""));
}

void AddUser(KeyText& key) {
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(getgroups(0, nullptr), 0)));
  const int count = groups.empty() ? 0 : getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(count, 0)));
  std::sort(groups.begin(), groups.end());
  key.Add("user", fmt::format("{} {} {}", geteuid(), getegid(), fmt::join(groups, ",")));
}

void AddProcessor(const FileSystem& files, KeyText& key) {
  key.Add("affinity", fmt::format("{}", fmt::join(probe::system::UsableProcessors(), " ")));
  const auto limits = probe::system::ReadCgroupLimits(files);
  key.Add("quota", limits.quota_cores ? fmt::format("{}", *limits.quota_cores) : "none");
  key.Add("limits", probe::system::ScarceLimitsKey(limits));
  const auto mapping = probe::system::MappingLimitBytes();
  key.Add("mapping", mapping ? fmt::format("{}", *mapping) : "none");
  key.Add("memory", limits.memory_limit_bytes ? fmt::format("{}", *limits.memory_limit_bytes) : "none");
}

std::uint32_t NumberIn(const FileSystem& files, const std::string& path) {
  return static_cast<std::uint32_t>(files.ReadNumber(path).value_or(0) & 0xffffffU);
}

// Display (03), processing accelerators (12) and co-processors (0b40): the classes of the PCI code and id
// assignment specification that can compute. Some makers file theirs as something else.
bool MayCompute(const FileSystem& files, const std::string& folder, const std::string& driver) {
  const auto code = NumberIn(files, folder + "class");
  const auto base = code >> 16U;
  if (base == 0x03 || base == 0x12 || code >> 8U == 0x0b40) return true;
  if (probe::NeverComputes(base)) return false;
  const probe::PciIds ids{NumberIn(files, folder + "vendor"), NumberIn(files, folder + "device"), {}, {}, {}};
  return probe::MakesOthers(ids.vendor) && probe::FindOtherByPci(ids, code, driver) != nullptr;
}

void AddPci(const FileSystem& files, KeyText& key) {
  constexpr std::string_view kDevices = "/sys/bus/pci/devices/";
  std::set<std::string> drivers;
  for (const auto& address : files.List(kDevices)) {
    const auto folder = std::string(kDevices) + address + "/";
    auto driver = files.ReadLink(folder + "driver").value_or("none");
    driver.erase(0, driver.find_last_of('/') + 1);
    if (!MayCompute(files, folder, driver)) continue;
    key.Add("pci " + address, fmt::format("{} {} {}", files.ReadLine(folder + "vendor").value_or(""),
                                          files.ReadLine(folder + "device").value_or(""), driver));
    drivers.insert(std::move(driver));
  }
  for (const auto& driver : drivers) {
    const auto folder = "/sys/module/" + driver + "/";
    key.Add("module " + driver, fmt::format("{} {}", files.ReadLine(folder + "version").value_or(""),
                                            files.ReadLine(folder + "srcversion").value_or("")));
  }
  for (const probe::Vendor& vendor : probe::Vendors()) {
    for (const auto file : vendor.version_files) key.Add(file, files.ReadLine(file).value_or(""));
  }
}

// Accelerators on USB, and those that only a node of class misc shows.
void AddOthers(const FileSystem& files, KeyText& key) {
  constexpr std::string_view kUsb = "/sys/bus/usb/devices/";
  for (const auto& name : files.List(kUsb)) {
    const auto folder = std::string(kUsb) + name + "/";
    const auto read = [&](const char* file) {
      return probe::ParseNumber<std::uint32_t>(files.ReadLine(folder + file).value_or(""), 16).value_or(0);
    };
    const auto vendor = read("idVendor");
    const auto product = vendor != 0 ? read("idProduct") : 0;
    if (probe::FindOtherByUsb(vendor, product) != nullptr)
      key.Add("usb " + name, probe::UsbIdText(vendor, product));
  }
  for (const auto& name : files.List("/sys/class/misc")) {
    if (probe::FindOtherByMisc(name) != nullptr) key.Add("misc " + name, "there");
  }
}

// A machine that has come to save power, or to save none, has other figures.
void AddPower(const FileSystem& files, KeyText& key) {
  constexpr std::size_t kPolicies = 8;  // all of them take 10 ms of a machine with 500 processors
  const auto power = probe::system::ReadPower(files, kPolicies);
  const std::array<std::pair<std::string_view, const std::optional<std::string>*>, 5> all = {
      {{"power", &power.source},
       {"profile", &power.profile},
       {"governor", &power.governor},
       {"frequency driver", &power.frequency_driver},
       {"preference", &power.frequency_preference}}};
  for (const auto& [name, value] : all) key.Add(name, value->value_or(""));
}

// Where one of them is missing or masked drivers fail that are well, and cards are not seen.
void AddFolders(const FileSystem& files, KeyText& key) {
  for (const auto* file : {"/proc/version", "/proc/cpuinfo"})
    key.Add(file, files.Exists(file) ? "there" : "missing");
  for (const auto* folder : {"/sys/class", "/sys/bus/pci/devices", "/sys/devices/system/cpu",
                             "/sys/devices/system/node", "/sys/fs/cgroup"})
    key.Add(folder, files.List(folder).empty() ? "missing" : "there");
}

// Where opening a node may wake the card for a second, the owner and the mode must do, and where closing it
// may reset the device, its permissions.
void AddNodes(const FileSystem& files, KeyText& key) {
  const auto openable = [&](const std::string& path) { return files.TryOpen(path) ? "open" : "closed"; };
  for (const auto& name : files.List("/dev/dri")) {
    if (name.starts_with("render")) key.Add("/dev/dri/" + name, openable("/dev/dri/" + name));
  }
  for (const auto& name : files.List("/dev/accel")) {
    const auto path = "/dev/accel/" + name;
    if (name.starts_with("accel")) key.Add(path, probe::system::MayOpen(files, path) ? "open" : "closed");
  }
  const auto add_openable = [&](const std::string& path) {
    if (files.Exists(path)) key.Add(path, openable(path));
  };
  add_openable(probe::system::kWslGpuNode);
  for (const probe::Vendor& vendor : probe::Vendors()) {
    for (const auto node : vendor.nodes) add_openable("/dev/" + std::string(node));
    if (vendor.sleeping_nodes.empty()) continue;
    for (const auto& name : files.List("/dev")) {
      if (name.starts_with(vendor.sleeping_nodes)) key.Add("/dev/" + name, StatText(files, "/dev/" + name));
    }
  }
}

void AddFile(const FileSystem& files, const std::string& path, KeyText& key) {
  key.Add(path, StatText(files, path));
}

// Where the loader would find it first; a name with a directory is that file.
void AddLibrary(const std::string& name, const std::string& manifest_folder, const FileSystem& files,
                const probe::system::LoaderSearch& loader, KeyText& key) {
  if (name.starts_with('/')) return AddFile(files, name, key);
  if (name.find('/') != std::string::npos) return AddFile(files, manifest_folder + name, key);
  for (const auto& path : loader.Candidates(name)) {
    if (files.Exists(path)) return AddFile(files, path, key);
  }
  key.Add(name, "none");
}

void AddModules(std::span<const probe::Module* const> modules, const FileSystem& files,
                const Environment& environment, KeyText& key) {
  const probe::system::LoaderSearch loader(files, environment);
  for (const probe::Module* module : modules) {
    for (const auto variable : module->visibility_variables) {
      if (const auto value = environment.Get(variable)) key.Add(variable, *value);
    }
    for (const auto library : module->libraries) AddLibrary(std::string(library), "", files, loader, key);
    if (module->manifests == nullptr) continue;
    for (const auto& manifest : module->manifests({files, environment, std::nullopt, nullptr})) {
      AddFile(files, manifest, key);
      const auto text = files.Read(manifest, kMaxManifestBytes);
      if (!text) continue;
      const auto folder = manifest.substr(0, manifest.find_last_of('/') + 1);
      for (const auto& library : LibrariesNamedIn(*text)) AddLibrary(library, folder, files, loader, key);
    }
  }
}

// The file that this code was loaded from.
std::string OwnProgram(const FileSystem& files) {
  static constexpr const char* kByKernel = "/proc/self/exe";
  if (files.Exists(kByKernel)) return kByKernel;
  return probe::system::FileOfAddress(&kByKernel).value_or("");
}

// What bends loading and the host's own libraries, whichever runtime asks.
constexpr std::array<std::string_view, 12> kVariables = {"LD_LIBRARY_PATH",
                                                         "WHICHGPU_LIBRARY_PATH",
                                                         "LD_PRELOAD",
                                                         "DYLD_LIBRARY_PATH",
                                                         "DYLD_FRAMEWORK_PATH",
                                                         "DYLD_FALLBACK_LIBRARY_PATH",
                                                         "DYLD_FALLBACK_FRAMEWORK_PATH",
                                                         "DYLD_VERSIONED_LIBRARY_PATH",
                                                         "DYLD_VERSIONED_FRAMEWORK_PATH",
                                                         "DYLD_INSERT_LIBRARIES",
                                                         "OPENBLAS_CORETYPE",
                                                         "OMP_NUM_THREADS"};

}  // namespace

std::vector<std::string> LibrariesNamedIn(const std::string& manifest_text) {
  constexpr std::string_view kEnds = " \t\r\n\"',";
  std::vector<std::string> found;
  for (std::size_t at = 0; at < manifest_text.size();) {
    const auto begin = manifest_text.find_first_not_of(kEnds, at);
    if (begin == std::string::npos) break;
    at = std::min(manifest_text.find_first_of(kEnds, begin), manifest_text.size());
    auto word = manifest_text.substr(begin, at - begin);
    if (word.find(".so") != std::string::npos) found.push_back(std::move(word));
  }
  return found;
}

std::optional<std::string> CacheKey(const RunRequest& request, std::span<const probe::Module* const> modules,
                                    const std::string& tool_version, const FileSystem& files,
                                    const Environment& environment) {
  if (files.List("/proc").empty() && files.List("/sys").empty()) return std::nullopt;
  KeyText key;
  key.Add("boot", probe::system::BootId(files).value_or(""));
  key.Add("tool", tool_version + " " + StatText(files, OwnProgram(files)));
  key.Add("kernel", probe::system::KernelText(files));
  AddOptions(request, key);
  AddUser(key);
  AddProcessor(files, key);
  AddPower(files, key);
  AddPci(files, key);
  AddOthers(files, key);
  AddFolders(files, key);
  AddNodes(files, key);
  AddFile(files, "/etc/ld.so.cache", key);
  for (const auto name : kVariables) {
    const auto value = environment.Get(name);
    if (!value) continue;
    key.Add(name, *value);
    if (!name.ends_with("LIBRARY_PATH") && !name.ends_with("FRAMEWORK_PATH")) continue;
    for (const auto& folder : probe::system::LoaderEntries(*value)) AddFile(files, folder, key);
  }
  AddModules(modules, files, environment, key);
  // Without a folder for its files a driver may have no device.
  using probe::system::ScratchDirectory;
  const auto scratch = ScratchDirectory::UsualParent(environment, probe::system::Medium::kDisk);
  key.Add("scratch", scratch ? "some" : "none");
  return key.text();
}

}  // namespace report
