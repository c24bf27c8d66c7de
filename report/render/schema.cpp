// SPDX-License-Identifier: MIT
#include "report/render/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "data/schema.h"

#include "probe/core/codec.h"
#include "probe/core/json_text.h"
#include "probe/core/text.h"
#include "report/core/suggest.h"

namespace report::render {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSchemas = {
    {{"report", data::schema::kReport},
     {"list", data::schema::kList},
     {"recommend", data::schema::kRecommend},
     {"query", data::schema::kQuery},
     {"compare", data::schema::kCompare},
     {"describe", data::schema::kDescribe}}};

constexpr const char* kDefinitions = "$defs";
constexpr const char* kReference = "$ref";

// Makes every reference below the node one to the definitions of its own document, and adds their names.
void KeepInside(probe::Json& node, std::set<std::string>& names) {
  if (!node.is_structured()) return;
  if (const auto reference = node.find(kReference); reference != node.end() && reference->is_string()) {
    const auto& address = reference->get_ref<const std::string&>();
    const auto name = address.substr(address.rfind('/') + 1);
    names.insert(name);
    *reference = fmt::format("#/{}/{}", kDefinitions, name);
  }
  for (auto& inner : node) KeepInside(inner, names);
}

// The schema's own definitions, then in their order those of `types` that it needs, or that these do.
probe::Json DefinitionsOf(probe::Json& schema, probe::Json& types) {
  std::set<std::string> needed;
  KeepInside(schema, needed);
  for (std::size_t known = 0; known != needed.size();) {
    known = needed.size();
    for (auto& [name, type] : types.items()) {
      if (needed.contains(name)) KeepInside(type, needed);
    }
  }
  probe::Json out = schema.value(kDefinitions, probe::Json::object());
  for (auto& [name, type] : types.items()) {
    if (needed.contains(name) && !out.contains(name)) out[name] = std::move(type);
  }
  return out;
}

}  // namespace

std::vector<std::string> SchemaCommands() {
  std::vector<std::string> names;
  for (const auto& [name, schema] : kSchemas) names.emplace_back(name);
  return names;
}

std::string SchemaNames() {
  std::string text;
  for (const auto& [name, schema] : kSchemas) text.append(name).append("\n");
  return text;
}

probe::Result<std::string> Schema(std::string_view name) {
  const auto row =
      std::find_if(kSchemas.begin(), kSchemas.end(), [&](const auto& known) { return known.first == name; });
  if (row == kSchemas.end()) {
    const auto names = SchemaCommands();
    const auto nearest = Nearest(name, names);
    return probe::Error{"", std::nullopt, "",
                        fmt::format("schema: no command '{}' prints JSON{}", probe::CleanText(name, 64),
                                    nearest ? fmt::format("; did you mean '{}'?", *nearest)
                                            : "; 'whichgpu schema' lists those that do")};
  }
  auto schema = probe::ParseOwnJson(row->second);
  if (!schema) return schema.error();
  auto types = probe::ParseOwnJson(data::schema::kTypes);
  if (!types) return types.error();
  auto definitions = DefinitionsOf(*schema, (*types)[kDefinitions]);
  schema->erase(kDefinitions);  // to be the last key
  if (!definitions.empty()) (*schema)[kDefinitions] = std::move(definitions);
  return probe::ToText(*schema, 2) + "\n";
}

}  // namespace report::render
