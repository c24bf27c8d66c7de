// SPDX-License-Identifier: MIT
#include "report/render/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "probe/core/add_once.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/wording.h"

namespace report::render {
namespace {

using backends::Measurement;
using kernels::Kernel;

constexpr std::array kOrder = {Kernel::kGemm,  Kernel::kGemv,         Kernel::kRead,         Kernel::kCopy,
                               Kernel::kTriad, Kernel::kHostToDevice, Kernel::kDeviceToHost, Kernel::kPeer,
                               Kernel::kChain, Kernel::kFill,         Kernel::kLaunch};

}  // namespace

Figures FiguresOf(const Report& report, const std::string& device_id, const probe::RuntimeDevice& of) {
  auto figures = MeasurementsOf(report.measurements, device_id, of.runtime, of.driver);
  const auto place = [](const Measurement* m) {
    return std::tuple(std::find(kOrder.begin(), kOrder.end(), m->kernel), m->in_dtype,
                      m->shape.m != m->shape.n);
  };
  std::stable_sort(figures.begin(), figures.end(),
                   [&](const Measurement* a, const Measurement* b) { return place(a) < place(b); });
  return figures;
}

std::string BarKey(const Measurement& m, const std::string& label) { return m.peer_id ? "copies" : label; }

BestFigures BestFiguresOf(const Report& report) {
  BestFigures best;
  for (const auto& device : report.devices) {
    for (const auto& view : device.views) {
      const auto figures = FiguresOf(report, device.id, view.device);
      for (const auto* m : figures) {
        if (!IsVerified(*m)) continue;
        double& kept = best[BarKey(*m, FigureLabel(*m, figures))];
        kept = std::max(kept, m->Speed());
      }
    }
  }
  return best;
}

std::string SpreadText(const Measurement& m, std::string_view plus_minus) {
  constexpr double kWidest = 100;
  if (!m.ci95) return std::string(plus_minus) + "?";
  // Of its times, as their quality is told by it; the interval is of rates.
  const auto [low, high] = *m.ci95;
  const double percent = 100 * std::max(1 / low - 1, 1 - 1 / high);
  return percent > kWidest ? fmt::format("{}>{:.0f} %", plus_minus, kWidest)
                           : fmt::format("{}{:.1f} %", plus_minus, percent);
}

std::string FailedLikewise(const Measurement& m, const Figures& figures) {
  std::vector<std::string> names;
  for (const auto* other : figures) {
    if (!IsTrouble(*other) || FailureText(*other) != FailureText(m)) continue;
    if (const auto name = ImplementationOf(*other); !name.empty()) probe::AddOnce(std::string(name), names);
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

bool IsShownFigure(const Measurement& m, const Figures& figures) {
  const auto label = FigureLabel(m, figures);
  if (PromptProduct(figures) == &m && label != FigureName(m)) return true;
  return std::none_of(figures.begin(), figures.end(),
                      [&](const Measurement* other) {
                        return IsVerified(*other) && FigureLabel(*other, figures) == label &&
                               other->Speed() > m.Speed();
                      }) &&
         label == FigureName(m);
}

}  // namespace report::render
