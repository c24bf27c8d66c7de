// SPDX-License-Identifier: MIT
#include "tests/kernels/cpu/launch.h"

#include <thread>

namespace kernels::cpu::testing {

void OnWorkers(unsigned count, const std::function<void(const Worker&)>& work) {
  Team team(count);
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < count; ++i) threads.emplace_back([&, i] { work(Worker{i, count, &team}); });
  work(Worker{0, count, &team});
  for (std::thread& thread : threads) thread.join();
}

void Launch(const Implementation& implementation, std::initializer_list<void*> buffers,
            std::initializer_list<std::uint32_t> scalars, unsigned workers) {
  const Arguments arguments{std::span(buffers.begin(), buffers.size()),
                            std::span(scalars.begin(), scalars.size())};
  OnWorkers(workers, [&](const Worker& worker) { implementation.run(arguments, worker); });
}

std::vector<Implementation> Of(std::string_view entry) {
  std::vector<Implementation> rows;
  for (const Implementation& row : Implementations()) {
    if (row.entry == entry) rows.push_back(row);
  }
  return rows;
}

std::string Name(const ::testing::TestParamInfo<Implementation>& row) {
  return std::string(row.param.entry) + "_" + std::string(row.param.isa);
}

}  // namespace kernels::cpu::testing
