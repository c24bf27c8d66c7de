// SPDX-License-Identifier: MIT
#include "bench/results.h"

#include <ctime>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "kernels/cpu/cpu_kernel.h"

namespace bench {
namespace {

using Json = nlohmann::ordered_json;

std::string ProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "processor";
}

// Letters and digits in small, dashes between; "(R)" and its like left out.
std::string Slug(std::string_view name) {
  std::string slug;
  bool in_parentheses = false;
  for (const char c : name) {
    in_parentheses = c == '(' || (in_parentheses && c != ')');
    const bool upper = c >= 'A' && c <= 'Z';
    if (in_parentheses || c == ')') continue;
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      slug += static_cast<char>(upper ? c - 'A' + 'a' : c);
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  return slug;
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[16] = "";
  if (localtime_r(&now, &local) != nullptr) std::strftime(text, sizeof(text), "%Y-%m-%d", &local);
  return text;
}

Json Encode(const Spread& spread) {
  return {{"median", spread.median}, {"quartiles", {spread.low, spread.high}}};
}

}  // namespace

struct Results::State {
  Json json;

  void Put(const Row& row, Json value) {
    value["command"] = "./dev bench " + std::string(row.name);
    json["rows"][std::string(row.name)] = std::move(value);
  }
};

Results::Results(const std::string& directory) : state_(std::make_shared<State>()) {
  const std::string processor = ProcessorName(), date = Today();
  path_ = directory + "/" + Slug(processor) + "-" + date + ".json";
  Json& json = state_->json;
  if (std::ifstream file(path_); file) json = Json::parse(file, nullptr, false);
  if (!json.is_object() || !json.contains("rows")) json = Json::object();
  Json rows = json.value("rows", Json::object());
  json = Json{{"processor", processor},
              {"threads", Threads()},
              {"date", date},
              {"whichgpu", WHICHGPU_VERSION},
              {"compiler", WHICHGPU_COMPILER},
              {"best_instructions", kernels::cpu::Best("gemm_bf16")->isa}};
  json["rows"] = std::move(rows);
}

void Results::Add(const Row& row, const Contest& contest, const Comparison& comparison, int pairs) {
  Json value = {{"what", row.what}, {"shape", contest.shape}, {"unit", contest.unit}};
  value["ours"] = {{"implementation", contest.ours.name}};
  value["ours"].update(Encode(comparison.ours));
  value["peer"] = {{"implementation", contest.peer.name}, {"version", contest.peer_version}};
  value["peer"].update(Encode(comparison.peer));
  value["ratio"] = Encode(comparison.ratio);
  value["pairs"] = pairs;
  if (row.limit) {
    value["limit"] = *row.limit;
    value["holds"] = comparison.ratio.median >= *row.limit;
  }
  state_->Put(row, std::move(value));
}

void Results::Skip(const Row& row, std::string_view reason) {
  state_->Put(row, {{"what", row.what}, {"skipped", reason}});
}

std::string Results::MakeDirectory() const {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  if (error) return error.message();
  const std::string trial = path_ + ".new";
  if (!std::ofstream(trial, std::ios::app)) return "no file can be made there";
  std::filesystem::remove(trial, error);
  return {};
}

bool Results::Write() const {
  const std::string scratch = path_ + ".new";
  std::ofstream file(scratch);
  file << state_->json.dump(2) << '\n';
  file.close();
  std::error_code error;
  if (file.good()) std::filesystem::rename(scratch, path_, error);
  return file.good() && !error;
}

}  // namespace bench
