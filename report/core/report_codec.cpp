// SPDX-License-Identifier: MIT
#include "report/core/report_fields.h"

namespace probe {
template struct Codec<report::Report>;
}  // namespace probe
