// SPDX-License-Identifier: MIT
// The JSON type, for headers that only pass such values on; codec.h has all of it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace probe {

using Json = nlohmann::ordered_json;

}  // namespace probe
