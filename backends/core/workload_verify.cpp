// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "backends/core/stream_reference.h"
#include "backends/core/workload.h"

namespace backends {
namespace {

using kernels::Kernel;
using kernels::Role;

constexpr std::uint64_t kPieceBytes = 4U << 20U;
// From so many bytes on they come by way of memory that the device writes to by itself, if there is such.
constexpr std::uint64_t kPinnedBytes = 16U << 20U;
// Of gemv's copies the first is checked in full and of the others every such row: they differ in operands
// alone.
constexpr std::uint32_t kSampledRows = 61;

}  // namespace

probe::Status Workload::Fetch(Role role, std::uint32_t copy, std::uint32_t rows, std::uint64_t row_bytes,
                              const CheckPart& check) const {
  const auto rows_a_piece = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, kPieceBytes / row_bytes));
  const std::uint64_t most_bytes = std::min(rows_a_piece, rows) * row_bytes;
  const auto pinned = rows * row_bytes >= kPinnedBytes ? session_->AllocateHost(most_bytes)
                                                       : probe::Result<HostBuffer>(NoHostMemory());
  std::vector<std::byte> pageable(pinned ? 0 : most_bytes);
  const std::span<std::byte> all = pinned ? pinned->bytes : std::span(pageable);
  for (std::uint32_t row = 0; row < rows; row += std::min(rows_a_piece, rows - row)) {
    const auto piece = all.first(std::min(rows_a_piece, rows - row) * row_bytes);
    if (auto status = session_->Download(Find(role, copy).id, row * row_bytes, piece); !status) return status;
    if (auto status = check(row, piece); !status) return status;
  }
  return probe::Ok();
}

probe::Status Workload::VerifyGemm(std::uint32_t copy, Verdict& verdict) const {
  const auto reference =
      GemmReference::Create({shape_.problem, variant().in, variant().acc, variant().b_transposed,
                             Seed(Role::kA, copy), Seed(Role::kB, copy)});
  if (!reference) return reference.error();
  return Fetch(Role::kC, copy, shape_.problem.m, reference->row_bytes(),
               [&](std::uint32_t first, std::span<const std::byte> rows) {
                 reference->Check(first, rows, verdict);
                 return probe::Ok();
               });
}

probe::Status Workload::VerifyGemv(std::uint32_t copy, Verdict& verdict) const {
  const auto reference =
      GemvReference::Create({shape_.problem, variant().in, variant().acc, Seed(Role::kW, copy),
                             Seed(Role::kX, copy), variant().x_in_8_bits});
  if (!reference) return reference.error();
  std::vector<float> y(shape_.problem.m);
  const auto status = session_->Download(Find(Role::kY, copy).id, 0, std::as_writable_bytes(std::span(y)));
  if (status) reference->Check(y, copy == 0 ? 1 : kSampledRows, verdict);
  return status;
}

probe::Status Workload::VerifyRead(std::uint32_t copy, Verdict& verdict) const {
  const Buffer& buffer = Find(Role::kPartials, copy);
  std::vector<std::uint32_t> partials(buffer.bytes / sizeof(std::uint32_t));
  const auto status = session_->Download(buffer.id, 0, std::as_writable_bytes(std::span(partials)));
  if (status) verdict = CheckSum(Seed(Role::kIn, copy), shape_.problem.count, partials);
  return status;
}

probe::Status Workload::VerifyCopy(std::uint32_t copy, Verdict& verdict) const {
  return Fetch(Role::kOut, copy, shape_.problem.count, kernels::Row(variant().in).bits / 8U,
               [&](std::uint32_t first, std::span<const std::byte> part) {
                 CheckCopy(variant().in, Seed(Role::kIn, copy), first, part, verdict);
                 return probe::Ok();
               });
}

probe::Status Workload::VerifyTriad(std::uint32_t copy, Verdict& verdict) const {
  return Fetch(Role::kOut, copy, shape_.problem.count, kernels::Row(variant().in).bits / 8U,
               [&](std::uint32_t first, std::span<const std::byte> part) {
                 return CheckTriad(variant().in, Seed(Role::kA, copy), Seed(Role::kB, copy), first, part,
                                   verdict);
               });
}

probe::Status Workload::VerifyChain(std::uint32_t copy, Verdict& verdict) const {
  return Fetch(Role::kOut, copy, shape_.problem.count, kernels::Row(variant().acc).bits / 8U,
               [&](std::uint32_t first, std::span<const std::byte> part) {
                 return CheckChain(variant().acc, shape_.problem, first, part, verdict);
               });
}

probe::Result<Verdict> Workload::Verify() const {
  struct Row {
    Kernel kernel;
    probe::Status (Workload::*verify)(std::uint32_t, Verdict&) const;
  };
  static constexpr std::array kRows = {
      Row{Kernel::kGemm, &Workload::VerifyGemm},   Row{Kernel::kGemv, &Workload::VerifyGemv},
      Row{Kernel::kRead, &Workload::VerifyRead},   Row{Kernel::kCopy, &Workload::VerifyCopy},
      Row{Kernel::kTriad, &Workload::VerifyTriad}, Row{Kernel::kChain, &Workload::VerifyChain},
  };
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [this](const Row& known) { return known.kernel == variant().kernel; });
  if (row == kRows.end()) {
    return probe::Error{
        "verify", std::nullopt, "no reference",
        "results of " + std::string(kernels::Row(variant().kernel).name) + " can not be checked"};
  }
  Verdict verdict;
  for (std::uint32_t copy = 0; copy < shape_.copies && verdict.right; ++copy) {
    if (auto status = (this->*row->verify)(copy, verdict); !status) return status.error();
  }
  return verdict;
}

}  // namespace backends
