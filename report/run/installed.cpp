// SPDX-License-Identifier: MIT
#include "report/run/installed.h"

#include <string>
#include <utility>

#include "probe/core/text.h"
#include "probe/registry.h"
#include "probe/system/environment.h"
#include "probe/system/library.h"

namespace report {
namespace {

bool HasLibrary(const probe::Module& module, const probe::ProbeContext& context) {
  if (module.is_installed != nullptr) return module.is_installed(context);
  if (module.loads_nothing != nullptr) return !module.loads_nothing(context);
  return probe::system::Library::Exists(module.libraries, {}, context.files, context.environment);
}

}  // namespace

std::vector<Installed> FindInstalled(const probe::system::FileSystem& files) {
  std::vector<Installed> out;
  const probe::system::Environment none;  // this process's variables say nothing of another machine
  const probe::ProbeContext context{files, none, std::nullopt, nullptr};
  for (const probe::Module& module : probe::Modules()) {
    if (module.kind != probe::ModuleKind::kRuntime || !module.loads_vendor_code) continue;
    const std::string runtime(module.name);
    if (module.manifests != nullptr) {
      for (const std::string& path : module.manifests(context))
        out.push_back({runtime, probe::CleanText(path)});
    } else if (!module.libraries.empty() && HasLibrary(module, context)) {
      out.push_back({runtime, std::string(module.libraries.front())});
    }
  }
  return out;
}

}  // namespace report
