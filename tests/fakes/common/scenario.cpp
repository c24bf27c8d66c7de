// SPDX-License-Identifier: MIT
#include "tests/fakes/common/scenario.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace fakes {
namespace {

using Json = nlohmann::json;

template <class E>
using Name = std::pair<std::string_view, E>;

constexpr Name<Point> kPoints[] = {{"load", Point::kLoad},           {"init", Point::kInit},
                                   {"enumerate", Point::kEnumerate}, {"properties", Point::kProperties},
                                   {"create", Point::kCreate},       {"allocate", Point::kAllocate},
                                   {"compile", Point::kCompile},     {"launch", Point::kLaunch},
                                   {"read_back", Point::kReadBack},  {"teardown", Point::kTeardown}};
constexpr Name<Act> kActs[] = {{"hang", Act::kHang},
                               {"spin", Act::kSpin},
                               {"abort", Act::kAbort},
                               {"segfault", Act::kSegfault},
                               {"exit0", Act::kExit0},
                               {"flood_stdout", Act::kFloodStdout},
                               {"close_fds", Act::kCloseFds},
                               {"flood_fds", Act::kFloodFds},
                               {"fork_linger", Act::kForkLinger},
                               {"throw_cxx", Act::kThrowCxx},
                               {"stack_overflow", Act::kStackOverflow},
                               {"error", Act::kError},
                               {"fill_scratch", Act::kFillScratch},
                               {"lower_rlimit_nofile", Act::kLowerFiles},
                               {"lower_rlimit_as", Act::kLowerMemory},
                               {"setuid", Act::kDropUser},
                               {"chroot", Act::kChroot},
                               {"close_low_fds", Act::kCloseLowFds},
                               {"clear_environment", Act::kClearEnvironment}};
constexpr Name<Detach> kDetaches[] = {
    {"none", Detach::kNone}, {"setsid", Detach::kSetsid}, {"daemon", Detach::kDaemon}};
constexpr Name<DeviceType> kTypes[] = {{"other", DeviceType::kOther},
                                       {"integrated", DeviceType::kIntegrated},
                                       {"discrete", DeviceType::kDiscrete},
                                       {"virtual", DeviceType::kVirtual},
                                       {"cpu", DeviceType::kCpu}};
constexpr Name<Results> kResults[] = {{"none", Results::kNone},
                                      {"garbage", Results::kGarbage},
                                      {"nan", Results::kNan},
                                      {"zero", Results::kZero}};

template <class E>
E Parse(const Json& json, std::span<const Name<E>> names) {
  const auto& text = json.get_ref<const std::string&>();
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  throw std::invalid_argument("unknown word \"" + text + "\"");
}

void From(const Json& json, Point& value) { value = Parse<Point>(json, kPoints); }
void From(const Json& json, Act& value) { value = Parse<Act>(json, kActs); }
void From(const Json& json, Detach& value) { value = Parse<Detach>(json, kDetaches); }
void From(const Json& json, DeviceType& value) { value = Parse<DeviceType>(json, kTypes); }
void From(const Json& json, Results& value) { value = Parse<Results>(json, kResults); }

template <class T>
  requires std::is_arithmetic_v<T>
void From(const Json& json, T& value) {
  value = json.get<T>();
}

void From(const Json& json, std::array<std::uint32_t, 2>& value) {
  value = json.get<std::array<std::uint32_t, 2>>();
}

void From(const Json& json, std::string& value) {
  if (!json.is_array()) {
    value = json.get<std::string>();
    return;
  }
  value.clear();
  for (const Json& byte : json) value.push_back(static_cast<char>(byte.get<std::uint8_t>()));
}

void From(const Json& json, std::map<std::string, std::int64_t>& value) {
  value = json.get<std::map<std::string, std::int64_t>>();
}

void From(const Json& json, Uuid& value) {
  std::string digits;
  for (const char c : json.get<std::string>()) {
    if (c != '-') digits.push_back(c);
  }
  if (digits.size() != 2 * value.size()) throw std::invalid_argument("a UUID has 32 digits");
  for (std::size_t i = 0; i < value.size(); ++i) {
    value[i] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
  }
}

void From(const Json& json, PciBus& value) {
  const auto text = json.get<std::string>();
  if (std::sscanf(text.c_str(), "%x:%x:%x.%x", &value.domain, &value.bus, &value.device, &value.function) !=
      4) {
    throw std::invalid_argument("a PCI address reads 0000:c1:00.0");
  }
}

void From(const Json& json, Misbehaviour& value);
void From(const Json& json, Device& value);

template <class T>
void From(const Json& json, std::optional<T>& value) {
  From(json, value.emplace());
}

template <class T>
void From(const Json& json, std::vector<T>& value) {
  value.clear();
  for (const Json& item : json) From(item, value.emplace_back());
}

// Reads the keys of one object and refuses those that nobody asked for.
class Object {
 public:
  explicit Object(const Json& json) : json_(json) {
    if (!json.is_object()) throw std::invalid_argument("expected an object");
  }

  template <class T>
  Object& Read(const char* key, T& value) {
    known_.insert(key);
    const auto found = json_.find(key);
    if (found == json_.end()) return *this;
    try {
      From(*found, value);
    } catch (const std::exception& error) {
      throw std::invalid_argument(std::string(key) + ": " + error.what());
    }
    return *this;
  }

  void Finish() const {
    for (const auto& [key, value] : json_.items()) {
      if (!known_.contains(key)) throw std::invalid_argument("unknown key \"" + key + "\"");
    }
  }

 private:
  const Json& json_;
  std::set<std::string> known_;
};

void From(const Json& json, Misbehaviour& value) {
  if (!json.contains("at") || !json.contains("do")) throw std::invalid_argument("needs \"at\" and \"do\"");
  value.hostile = json["do"].is_string() ? FindHostileAct(json["do"].get_ref<const std::string&>()) : nullptr;
  Json rest = json;
  if (value.hostile != nullptr) {
    value.act = Act::kHostile;
    rest.erase("do");
  }
  Object(rest)
      .Read("at", value.at)
      .Read("do", value.act)
      .Read("after", value.after)
      .Read("device", value.device)
      .Read("code", value.code)
      .Read("bytes", value.bytes)
      .Read("seconds", value.seconds)
      .Read("detach", value.detach)
      .Read("mark", value.mark)
      .Read("pid_file", value.pid_file)
      .Finish();
}

void From(const Json& json, Device& value) {
  Object(json)
      .Read("name", value.name)
      .Read("name_bytes", value.name_bytes)
      .Read("vendor", value.vendor)
      .Read("vendor_id", value.vendor_id)
      .Read("device_id", value.device_id)
      .Read("uuid", value.uuid)
      .Read("driver_uuid", value.driver_uuid)
      .Read("pci", value.pci)
      .Read("type", value.type)
      .Read("memory_total_bytes", value.memory_total_bytes)
      .Read("memory_free_bytes", value.memory_free_bytes)
      .Read("max_buffer_bytes", value.max_buffer_bytes)
      .Read("no_heaps", value.no_heaps)
      .Read("unified_memory", value.unified_memory)
      .Read("fp16", value.fp16)
      .Read("fp64", value.fp64)
      .Read("compute_units", value.compute_units)
      .Read("clock_mhz", value.clock_mhz)
      .Read("subgroup_width", value.subgroup_width)
      .Read("max_workgroup_size", value.max_workgroup_size)
      .Read("shared_memory_bytes", value.shared_memory_bytes)
      .Read("timestamp_bits", value.timestamp_bits)
      .Read("results", value.results)
      .Read("slow_kernel_s", value.slow_kernel_s)
      .Read("unsteady_share", value.unsteady_share)
      .Read("unsteady_folder", value.unsteady_folder)
      .Read("unsteady_processes", value.unsteady_processes)
      .Read("event_time_scale", value.event_time_scale)
      .Read("lost_after_launches", value.lost_after_launches)
      .Read("faulting_kernels", value.faulting_kernels)
      .Read("crashing_kernels", value.crashing_kernels)
      .Read("hanging_kernels", value.hanging_kernels)
      .Read("allocation_limit_bytes", value.allocation_limit_bytes)
      .Read("attributes", value.attributes)
      .Read("partitions", value.partitions)
      .Finish();
  const std::string unit = value.name;
  while (!unit.empty() && value.name.size() < value.name_bytes) value.name += unit;
  if (value.name_bytes > 0) value.name.resize(value.name_bytes);
}

void From(const Json& json, Scenario& value) {
  Object(json)
      .Read("driver_name", value.driver_name)
      .Read("driver_version", value.driver_version)
      .Read("api_version", value.api_version)
      .Read("devices", value.devices)
      .Read("misbehave", value.misbehave)
      .Read("attributes", value.attributes)
      .Finish();
}

std::string ScenarioPath() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&ScenarioPath), &info) != 0) {
    std::string own = std::string(info.dli_fname) + kScenarioSuffix;
    if (access(own.c_str(), R_OK) == 0) return own;
  }
  const char* named = std::getenv(kScenarioVariable);
  return named == nullptr ? "" : named;
}

Scenario Load() {
  Scenario scenario;
  const std::string path = ScenarioPath();
  if (path.empty()) return scenario;
  if (const auto error = ReadScenario(path, scenario)) {
    std::fprintf(stderr, "fake driver: %s: %s\n", path.c_str(), error->c_str());
    _exit(kBadScenarioExit);
  }
  return scenario;
}

}  // namespace

std::optional<std::string> ReadScenario(const std::string& path, Scenario& scenario) {
  std::ifstream file(path);
  if (!file) return "cannot be opened";
  try {
    From(Json::parse(file), scenario);
  } catch (const std::exception& error) {
    return error.what();
  }
  return std::nullopt;
}

const Scenario& Current() {
  static const Scenario scenario = Load();
  return scenario;
}

}  // namespace fakes
