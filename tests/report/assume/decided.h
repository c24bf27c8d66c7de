// SPDX-License-Identifier: MIT
// What a machine in the caller's words is answered.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "report/assume/assume.h"
#include "report/core/tables.h"
#include "report/decide/decide.h"

namespace report::assume {

// The usual request, or one of 405B parameters in 4 bits.
enum class Model { kUsual, kHuge };

inline Report Decided(const std::vector<std::string>& texts, Model model, Use use, const Terms& terms = {}) {
  Tables tables = *EmbeddedTables();
  if (model == Model::kHuge) {
    auto& request = tables.reference.inference;
    request.model = "Llama 3.1 405B";
    request.parameters = 405e9;
    request.weight_bytes = 243e9;
    request.layers = 126;
  }
  auto machine = Imagine(tables, texts, terms.target ? &*terms.target : nullptr);
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().text);
  if (!machine) return {};
  Record record;
  record.host = machine->host;
  record.probes = machine->probes;
  record.warnings = machine->warnings;
  RunRequest request;
  request.command = "recommend";
  request.uses = {use};
  request.assume = texts;
  request.terms = terms;
  return Decide(request, tables, record, {std::move(machine->devices), {}, {}});
}

}  // namespace report::assume
