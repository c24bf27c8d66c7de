// SPDX-License-Identifier: MIT
// A machine with the fake Metal, and what a test does there with the Metal backend's devices.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>

#include "backends/core/backend.h"
#include "tests/backends/core/open_device.h"
#include "tests/fakes/common/fake_machine.h"
#include "tests/probe/system/temporary_tree.h"

namespace probe::metal {
Module Describe();
}
namespace backends::metal {
Backend Describe();
}

namespace tests {

// A GPU of a scenario (tests/fakes/common/scenario.h, tests/fakes/metal/device.h).
inline std::string MetalGpu(std::string_view attributes = "", std::string_view more = "",
                            bool unified = true) {
  return fmt::format(R"({{"name": "Apple M1", "memory_total_bytes": 1073741824, "max_buffer_bytes": 536870912,
      "unified_memory": {}, "attributes": {{{}}}{}}})",
                     unified, attributes, more);
}

class MetalMachine {
 public:
  explicit MetalMachine(const std::string& fake, std::string_view gpus, std::string_view more = "") {
    for (const char* name : {"libobjc.A.dylib", "Metal", "IOKit", "CoreFoundation"})
      tree_.Link(std::string("/lib/") + name, fake);
    variables_ = {{"WHICHGPU_LIBRARY_PATH", tree_.At("/lib")},
                  {"WHICHGPU_FAKE_SCENARIO",
                   tree_.Write("/scenario.json", fmt::format(R"({{"devices": [{}]{}}})", gpus, more))}};
  }

  // Another file by that name; an empty one leaves it out.
  MetalMachine& Library(const std::string& name, const std::string& file) {
    std::filesystem::remove(tree_.At("/lib/" + name));
    if (!file.empty()) tree_.Link("/lib/" + name, file);
    return *this;
  }

  [[nodiscard]] probe::ProbeReport Survey() const { return SurveyWith(variables_, probe::metal::Describe()); }

  // The same where the loader's own path leads to the files, and no variable of this tool's.
  [[nodiscard]] probe::ProbeReport SurveyBySystemsFolders() const {
    auto variables = variables_;
    variables["LD_LIBRARY_PATH"] = std::exchange(variables["WHICHGPU_LIBRARY_PATH"], "");
    return SurveyWith(variables, probe::metal::Describe());
  }

  // What `body` returned in a process of this machine.
  [[nodiscard]] std::string Run(const ProcessBody& body) const { return RunWith(variables_, body); }

  // See WithDevice.
  [[nodiscard]] std::string With(const SessionBody& body, std::size_t place = 0,
                                 const DeviceChange& change = nullptr) const {
    return WithDevice(variables_, Survey(), backends::metal::Describe(), body, place, change);
  }

 private:
  probe::system::TemporaryTree tree_;
  Variables variables_;
};

// What the fake counts, in the process that loaded it: objects that are held, those that were given to no
// pool, and how often devices are. Empty where nothing is.
inline std::string StillHeld(const std::string& fake) {
  void* library = dlopen(fake.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return "not loaded";
  const auto ask = [library](const char* name) {
    return reinterpret_cast<long (*)()>(dlsym(library, name))();
  };
  const long objects = ask("fake_metal_alive") - ask("fake_metal_devices");
  const long devices = ask("fake_metal_devices_held"), without_pool = ask("fake_metal_without_pool"),
             entries = ask("fake_metal_entries_held");
  if (objects == 0 && devices == 0 && without_pool == 0 && entries == 0) return "";
  return fmt::format("{} objects and {} entries are held, devices {} times, {} were given to no pool",
                     objects, entries, devices, without_pool);
}

}  // namespace tests
