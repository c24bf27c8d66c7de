// SPDX-License-Identifier: MIT
#include "report/html/roofline.h"

#include <algorithm>
#include <string_view>

#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/render/figures.h"
#include "report/render/sections.h"
#include "report/score/score.h"

namespace report::html {
namespace {

using backends::Measurement;
using kernels::Dtype;
using kernels::Kernel;

// Integer products are no floating-point operations.
bool IsProduct(const Measurement& m) {
  return m.kernel == Kernel::kGemm && m.in_dtype != Dtype::kInt8 && IsVerified(m);
}

bool IsRead(const Measurement& m) { return m.kernel == Kernel::kRead && IsVerified(m); }

template <class Wanted>
const Measurement* Fastest(const render::Figures& figures, Wanted wanted) {
  const Measurement* best = nullptr;
  for (const Measurement* m : figures) {
    if (wanted(*m) && (!best || m->Speed() > best->Speed())) best = m;
  }
  return best;
}

RoofFigure FigureOf(const Measurement& m) {
  return {FigureName(m), *m.rate, m.unit, m.quality == backends::Quality::kNoisy};
}

void Raise(const Measurement& m, std::optional<double>& peak) {
  if (m.share_of_peak && *m.share_of_peak > 0) peak = std::max(peak.value_or(0), *m.rate / *m.share_of_peak);
}

void AddPoints(const InferenceRequest& request, const Score& score, Roof& roof) {
  if (score.rest) return;
  for (const ScorePart& part : score.parts) {
    if (!(part.seconds > 0)) continue;
    if (part.name == score::kPromptPart) {
      const auto work = score::PromptWork(request);
      roof.prompt = RooflinePoint{work.flop / work.bytes, work.flop / part.seconds};
    } else if (part.name == score::kTokensPart) {
      const auto work = score::TokenWork(request);
      roof.token = RooflinePoint{work.flop / work.bytes, request.output_tokens * work.flop / part.seconds};
    }
  }
}

std::size_t MeasuredOf(const Report& report, const std::string& device_id) {
  return static_cast<std::size_t>(
      std::count_if(report.measurements.begin(), report.measurements.end(),
                    [&](const Measurement& m) { return m.device_id == device_id && IsVerified(m); }));
}

// An equal one was measured more, or as much and stands before it.
bool IsShownByAnother(const Report& report, const probe::PhysicalDevice& device) {
  const auto here = MeasuredOf(report, device.id);
  return std::any_of(report.devices.begin(), report.devices.end(), [&](const auto& other) {
    if (&other == &device || !AreEqualGpus(other, device)) return false;
    const auto there = MeasuredOf(report, other.id);
    return there > here || (there == here && &other < &device);
  });
}

}  // namespace

std::optional<Roofline> RooflineOf(const Tables& tables, const Report& report,
                                   const probe::PhysicalDevice& device) {
  const auto& request = report.request ? report.request->inference : tables.reference.inference;
  const auto prompt = score::PromptWork(request);
  const auto token = score::TokenWork(request);
  Roofline line{device.id,
                DeviceName(report.devices, device.id),
                {},
                std::nullopt,
                std::nullopt,
                prompt.flop / prompt.bytes,
                token.flop / token.bytes};
  std::vector<std::pair<double, Roof>> roofs;
  for (const probe::View& view : device.views) {
    const auto figures = render::FiguresOf(report, device.id, view.device);
    const auto* product = Fastest(figures, IsProduct);
    const auto* read = Fastest(figures, IsRead);
    if (!product || !read) continue;
    Raise(*product, line.peak_flop_per_s);
    Raise(*read, line.peak_bytes_per_s);
    Roof roof{RuntimeName(report.devices, device.id, view.device.runtime, view.device.driver),
              FigureOf(*product), FigureOf(*read), std::nullopt, std::nullopt};
    const auto* score =
        FindScore(report, Use::kInference, device.id, view.device.runtime, view.device.driver);
    if (score) AddPoints(request, *score, roof);
    // What may be recommended stands before what may not, as software on a processor.
    const double speed = score && score->eligible && score->tokens_per_s ? score->tokens_per_s->value : 0;
    roofs.emplace_back(speed, std::move(roof));
  }
  if (roofs.empty()) return std::nullopt;
  std::stable_sort(roofs.begin(), roofs.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.product.rate > b.second.product.rate;
  });
  for (auto& [speed, roof] : roofs) line.roofs.push_back(std::move(roof));
  return line;
}

std::vector<Roofline> Rooflines(const Tables& tables, const Report& report) {
  std::vector<Roofline> lines;
  for (const auto& device : report.devices) {
    if (IsShownByAnother(report, device)) continue;
    if (auto line = RooflineOf(tables, report, device)) lines.push_back(*std::move(line));
  }
  return lines;
}

}  // namespace report::html
