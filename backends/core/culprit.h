// SPDX-License-Identifier: MIT
// By whose kernel a device's context ended, as a session keeps the account. Knows no runtime: which call says
// that the context has ended is the session's to tell.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/core/backend.h"

namespace backends {

class CulpritAccount {
 public:
  // Of every kernel, in the order of their ids.
  void Loaded(const kernels::Variant& variant) {
    loaded_.push_back({variant.name, variant.kernel, variant.in, variant.acc});
  }
  // Every launch is waited for: what ends the context meanwhile is the last one's doing, whichever call says
  // so; what ends it once that has come to a good end is not.
  void Launched(KernelId kernel) {
    if (static_cast<std::size_t>(kernel) < loaded_.size()) last_ = static_cast<std::size_t>(kernel);
  }
  void Finished() {
    has_worked_ = has_worked_ || (last_ && loaded_[*last_].kernel != kernels::Kernel::kFill);
    last_.reset();
  }
  // The first word of it counts, also where no kernel of ours ended it.
  void ContextEnded() {
    if (!std::exchange(ended_, true)) culprit_ = last_;
  }
  // As Session::BroughtDownBy.
  [[nodiscard]] const Implementation* culprit() const {
    if (!ended_) return nullptr;
    return culprit_ ? &loaded_[*culprit_] : &nobody_;
  }
  // As Session::HasWorked.
  [[nodiscard]] bool has_worked() const { return has_worked_; }

 private:
  std::vector<Implementation> loaded_;  // by KernelId
  std::optional<std::size_t> last_, culprit_;
  const Implementation nobody_{"", kernels::Kernel::kFill};
  bool ended_ = false;
  bool has_worked_ = false;
};

}  // namespace backends
