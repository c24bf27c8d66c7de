// SPDX-License-Identifier: MIT
#include "bench/sample.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace bench {
namespace {

constexpr double kSampleSeconds = 0.04;
// Between two sides: threads of a library may spin for a while after its work.
constexpr useconds_t kSettleMicroseconds = 2000;

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

double Rate(double work, const std::function<void()>& run) {
  double begin = Seconds();
  run();
  double end = Seconds();
  if (end - begin >= kSampleSeconds) return work / (end - begin);
  begin = end;
  int times = 0;
  for (; end - begin < kSampleSeconds; ++times) {
    run();
    end = Seconds();
  }
  return work * times / (end - begin);
}

Spread SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t last = values.size() - 1;
  return {values[values.size() / 2], values[last / 4], values[last - last / 4]};
}

Comparison Compare(const Side& ours, const Side& peer, int pairs) {
  const auto sample = [](const Side& side) {
    const double rate = side.rate();
    usleep(kSettleMicroseconds);
    return rate;
  };
  bool ours_first = false;
  return Compare(
      [&]() -> std::pair<double, double> {
        ours_first = !ours_first;
        if (ours_first) {
          const double our_rate = sample(ours);
          return {our_rate, sample(peer)};
        }
        const double peer_rate = sample(peer);
        return {sample(ours), peer_rate};
      },
      pairs);
}

Comparison Compare(const Pair& pair, int pairs) {
  std::vector<double> ours, peer, ratios;
  for (int i = 0; i < pairs; ++i) {
    const auto [our_rate, peer_rate] = pair();
    ours.push_back(our_rate);
    peer.push_back(peer_rate);
    ratios.push_back(our_rate / peer_rate);
  }
  return {SpreadOf(ours), SpreadOf(peer), SpreadOf(ratios)};
}

}  // namespace bench
