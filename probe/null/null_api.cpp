// SPDX-License-Identifier: MIT
#include "probe/null/null_api.h"

namespace probe::null {

Result<Api> Open(const system::FileSystem&, const system::Environment&) { return Api{}; }

Result<std::vector<RuntimeDevice>> Devices(const Api&) { return std::vector<RuntimeDevice>{}; }

}  // namespace probe::null
