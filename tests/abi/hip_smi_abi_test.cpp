// SPDX-License-Identifier: MIT
// The part of probe/hip/hip_declarations.h that is rocm_smi's against AMD's rocm_smi.h.
#include <gtest/gtest.h>
#include <rocm_smi/rocm_smi.h>

#include "probe/hip/hip_declarations.h"
#include "tests/abi/same_signature.h"

namespace {

namespace own = probe::hip;
using signatures::Signature;

#define SAME_FUNCTION(name) \
  static_assert(Signature<decltype(&own::functions::name), decltype(&::name)>::value, #name)
SAME_FUNCTION(rsmi_init);
SAME_FUNCTION(rsmi_num_monitor_devices);
SAME_FUNCTION(rsmi_dev_pci_id_get);
SAME_FUNCTION(rsmi_dev_memory_total_get);
SAME_FUNCTION(rsmi_dev_memory_usage_get);
SAME_FUNCTION(rsmi_dev_busy_percent_get);
SAME_FUNCTION(rsmi_dev_power_ave_get);
SAME_FUNCTION(rsmi_dev_power_cap_get);
SAME_FUNCTION(rsmi_dev_power_cap_default_get);
static_assert(static_cast<unsigned>(own::kRsmiVram) == static_cast<unsigned>(RSMI_MEM_TYPE_VRAM));
static_assert(own::kRsmiSuccess == static_cast<unsigned>(RSMI_STATUS_SUCCESS));

TEST(RocmSmiAbi, ComparisonTellsSignaturesApart) {
  EXPECT_FALSE((Signature<decltype(&own::functions::rsmi_init), decltype(&::rsmi_dev_pci_id_get)>::value));
}

}  // namespace
