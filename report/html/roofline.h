// SPDX-License-Identifier: MIT
// What a device's roofline shows: of each way to reach it the fastest verified product and read, the device's
// peaks, and where the reference request stands below them. Pure; draws nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/core/report.h"
#include "report/core/tables.h"

namespace report::html {

// A figure of a roof, and how it is called: "fp16 gemm".
struct RoofFigure {
  std::string name;
  double rate = 0;
  std::string unit;
  bool noisy = false;
};

// A phase of the request by one way: what it computes for each byte that it reads, and how fast by the
// prediction.
struct RooflinePoint {
  double flop_per_byte = 0;
  double flop_per_s = 0;
};

struct Roof {
  std::string way;  // "vulkan (AMDVLK)"
  RoofFigure product;
  RoofFigure read;
  std::optional<RooflinePoint> prompt;  // absent: not predicted, or another device has a part of the work
  std::optional<RooflinePoint> token;
};

struct Roofline {
  std::string device_id;
  std::string device;
  std::vector<Roof> roofs;  // the fastest first, by the prediction or, without one, by the product
  std::optional<double> peak_flop_per_s;  // of the products that are shown
  std::optional<double> peak_bytes_per_s;
  double prompt_flop_per_byte = 0;  // of the request
  double token_flop_per_byte = 0;
};

// nullopt where no way has both a verified product in floating point and a verified read.
[[nodiscard]] std::optional<Roofline> RooflineOf(const Tables& tables, const Report& report,
                                                 const probe::PhysicalDevice& device);

// Of all devices, in the report's order; of equal ones of that alone which was measured most.
[[nodiscard]] std::vector<Roofline> Rooflines(const Tables& tables, const Report& report);

}  // namespace report::html
