// SPDX-License-Identifier: MIT
#include "report/render/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "probe/core/json.h"
#include "report/core/architecture.h"
#include "report/core/clean.h"
#include "report/core/devices.h"
#include "report/core/quantity.h"
#include "report/core/report_names.h"
#include "report/core/wording.h"
#include "report/render/device_words.h"
#include "report/render/ranked.h"

namespace report::render {
namespace {

using kernels::Dtype;
using kernels::Kernel;

// A way to a device; a device that nothing reaches, or a runtime that reaches none.
struct Line {
  const Tables* tables = nullptr;
  const Report* report = nullptr;
  const probe::PhysicalDevice* device = nullptr;
  const probe::View* view = nullptr;
  std::string backend;
  std::size_t rank = 0;  // 0: not ranked
};

// What a field of a line holds: text, and the number that it stands for where it is one.
struct Value {
  std::string text;
  std::optional<double> number{};
};

Value Number(double number, std::string text) {
  return std::isfinite(number) ? Value{std::move(text), number} : Value{};
}
Value Number(std::optional<double> number) {
  return number ? Number(*number, SignificantText(*number, 4)) : Value{};
}

const Score* ScoreOf(const Line& line, Use use) {
  if (!line.view) return nullptr;
  const auto& scores = line.report->scores;
  const auto found = std::find_if(scores.begin(), scores.end(), [&](const Score& score) {
    return score.use == use && score.device_id == line.device->id && score.runtime == line.backend &&
           score.driver == line.view->device.driver;
  });
  return found == scores.end() ? nullptr : &*found;
}

// Of a way that may be taken for it, and whose memory does.
const Score* Told(const Line& line, Use use) {
  const Score* score = ScoreOf(line, use);
  return score && score->eligible && score->fits.value_or(true) ? score : nullptr;
}

Value TokensOf(const Line& line, double Range::* bound) {
  const Score* score = Told(line, Use::kInference);
  if (!score || !score->writing_tokens_per_s) return {};
  const double tokens = *score->writing_tokens_per_s.*bound;
  return Number(tokens, TokensText(tokens));
}

Value Seconds(const Line& line, std::optional<Range> Score::* of) {
  const Score* score = Told(line, Use::kInference);
  return score && score->*of ? Number((score->*of)->value) : Value{};
}

// The fastest verified figure of a kind, in its unit times `scale`.
Value Figure(const Line& line, Kernel kernel, std::optional<Dtype> dtype, double scale) {
  if (!line.view) return {};
  std::optional<double> best;
  for (const auto* m :
       MeasurementsOf(line.report->measurements, line.device->id, line.backend, line.view->device.driver)) {
    if (m->kernel != kernel || (dtype && m->in_dtype != *dtype) || !IsVerified(*m)) continue;
    best = std::max(best.value_or(0), *m->rate / scale);
  }
  return Number(best);
}

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;

template <Dtype dtype>
Value Product(const Line& line) {
  return Figure(line, Kernel::kGemm, dtype, kTera);
}

Value OfView(const Line& line, std::optional<std::string> probe::RuntimeDevice::* field) {
  return {line.view ? (line.view->device.*field).value_or("") : ""};
}

Value Mib(std::optional<double> bytes) {
  constexpr double kMib = 1U << 20U;
  return bytes ? Number(std::floor(*bytes / kMib), MibText(bytes)) : Value{};
}

Value Architecture(const Line& line) {
  if (!line.view) return {};
  const auto* facts = Find(*line.tables, line.backend);
  if (!facts || !facts->target) return {line.view->device.architecture.value_or("")};
  return {ArchitectureText(*facts->target, line.view->device.architecture, Reader::kPeople)};
}

// A runtime that nobody asked.
bool IsNotAsked(const Line& line) {
  const auto& probes = line.report->probes;
  return !line.device && std::none_of(probes.begin(), probes.end(),
                                      [&](const auto& probe) { return probe.module == line.backend; });
}

// Whether it may be taken: "unknown" where none ran that would tell; nothing of a card whose parts are used.
Value Usable(const Line& line) {
  if (IsNotAsked(line)) return {"unknown"};
  if (line.device && !line.view && IsUsedByParts(ParentIds(line.report->devices), *line.device)) return {};
  if (!line.device || !line.view) return {"no"};
  switch (UsabilityOf(*line.report, *line.device, *line.view)) {
    case Usability::kYes:
      return {"yes"};
    case Usability::kUnknown:
      return {"unknown"};
    case Usability::kNo:
      break;
  }
  return {"no"};
}

bool Holds(const std::vector<std::string>& ways, const Line& line) {
  return std::find(ways.begin(), ways.end(),
                   WayName(line.report->devices, line.device->id, line.backend, line.view->device.driver)) !=
         ways.end();
}

// As the page has them: what ties with the answer shares its place.
Value Rank(const Line& line) {
  if (line.rank == 0) return {};
  const auto& answers = line.report->recommendations;
  const auto rank = !answers.empty() && Holds(answers.front().tie, line) ? 1 : line.rank;
  return Number(static_cast<double>(rank), std::to_string(rank));
}

// What its prediction for inference rests on.
Value BasisOf(const Line& line) {
  const Score* score = Told(line, Use::kInference);
  return {score ? std::string(probe::NameOf(score->basis)) : ""};
}

Value QualityOf(const Line& line) {
  const Score* score = Told(line, Use::kInference);
  if (!score || score->basis == Basis::kEstimated || score->basis == Basis::kAssumed) return {};
  return {IsNoisy(*line.report, *score) ? "noisy" : "good"};
}

// Why the first answer did not take it.
Value ReasonOf(const Line& line) {
  if (IsNotAsked(line)) return {NotAskedText(*line.tables, line.backend)};
  if (line.report->recommendations.empty()) return {};
  const auto& answer = line.report->recommendations.front();
  if (line.view && Holds(answer.tie, line)) return {"as fast as the answer, within 5 %"};
  if (line.view && Holds(answer.undecided, line))
    return {answer.basis == Basis::kMeasured || answer.basis == Basis::kCached
                ? "not told apart from the answer: measured too coarsely"
                : "not told apart from the answer: nothing was measured that would"};
  const Rejected* of_device = nullptr;
  for (const Rejected& option : answer.rejected) {
    const bool of_this = line.device ? option.device_id == line.device->id : !option.device_id;
    const bool of_way = option.runtime == line.backend &&
                        (!option.driver || !line.view || *option.driver == line.view->device.driver);
    if (of_this && of_way) return {option.reason};
    if (of_this && !option.runtime && !of_device) of_device = &option;
  }
  return {of_device ? of_device->reason : ""};
}

Value Pci(const Line& line) {
  if (!line.device) return {};
  const auto* of = line.device->hardware ? &line.device->hardware->identity
                   : line.view           ? &line.view->device.identity
                                         : nullptr;
  return {of && of->pci ? probe::ToString(*of->pci) : ""};
}

AtWork DeviceAtWork(const Line& line) {
  return line.device ? AtWorkOf(line.report->measurements, line.device->id) : AtWork{};
}

Value OfLink(const Line& line, std::optional<std::uint32_t> probe::PcieLink::* part) {
  const auto at_work = DeviceAtWork(line).pcie;
  const auto* hardware = line.device && line.device->hardware ? &*line.device->hardware : nullptr;
  const auto& link = at_work || !hardware ? at_work : hardware->pcie;
  const auto value = link ? *link.*part : std::nullopt;
  return value ? Number(*value, std::to_string(*value)) : Value{};
}

struct Row {
  Field field;
  Value (*of)(const Line& line);
};

constexpr auto kFacts = QueryNeed::kFacts;
constexpr auto kFigures = QueryNeed::kFigures;

const std::array kRows = {
    Row{{"name", "", kFacts, "what the device is called"},
        [](const Line& line) { return Value{line.device ? PlainName(line.device->name) : ""}; }},
    Row{{"id", "", kFacts, "what --device takes"},
        [](const Line& line) { return Value{line.device ? line.device->id : ""}; }},
    Row{{"kind", "", kFacts,
         "discrete, integrated, cpu, software, accelerator, virtual, management or unknown"},
        [](const Line& line) {
          return Value{line.device ? std::string(probe::NameOf(line.device->kind)) : ""};
        }},
    Row{{"vendor", "", kFacts, "its maker, one word in lower case"},
        [](const Line& line) { return Value{line.device ? VendorWord(*line.device) : ""}; }},
    Row{{"pci", "", kFacts, "its address on the PCI bus"}, Pci},
    Row{{"memory.total", "MiB", kFacts,
         "all of its memory; of an integrated GPU what the backend has of the memory that it shares"},
        [](const Line& line) { return line.device ? Mib(AllBytes(*line.device, line.view)) : Value{}; }},
    Row{{"memory.free", "MiB", QueryNeed::kNow, "what of it this process may use now"},
        [](const Line& line) { return line.device ? Mib(FreeBytes(*line.device, line.view)) : Value{}; }},
    Row{{"backend", "", kFacts, "the runtime, as recommend names it"},
        [](const Line& line) { return Value{line.backend}; }},
    Row{{"driver", "", kFacts, "the driver that the runtime reaches it by"},
        [](const Line& line) { return Value{line.view ? line.view->device.driver : ""}; }},
    Row{{"driver.version", "", kFacts, "that driver's version"},
        [](const Line& line) { return OfView(line, &probe::RuntimeDevice::driver_version); }},
    Row{{"driver.kernel", "", kFacts, "the driver of the kernel"},
        [](const Line& line) {
          return Value{
              line.device && line.device->hardware ? line.device->hardware->kernel_driver.value_or("") : ""};
        }},
    Row{{"api", "", kFacts, "the newest version of the runtime's interface that the driver runs"},
        [](const Line& line) { return OfView(line, &probe::RuntimeDevice::api_version); }},
    Row{{"arch", "", kFacts, "its architecture, as builds for the backend are told it"}, Architecture},
    Row{{"usable", "", kFigures,
         "yes: a kernel was right there and it may be taken; no; unknown: not all ran that tell; empty: its "
         "parts are used"},
        Usable},
    Row{{"reason", "", kFigures, "why it is not the answer; empty for the answer"}, ReasonOf},
    Row{{"rank", "", kFigures, "its place for inference; 1 is the answer and what ties with it"}, Rank},
    Row{{"basis", "", kFigures, "what its prediction rests on: measured, cached, estimated or assumed"},
        BasisOf},
    Row{{"quality", "", kFigures,
         "of the figures behind that: good, or noisy, where the range is what is known"},
        QualityOf},
    Row{{"tokens_per_s", "", kFigures, "how fast it writes, predicted (writing_tokens_per_s of the report)"},
        [](const Line& line) { return TokensOf(line, &Range::value); }},
    Row{{"tokens_per_s.low", "", kFigures, "the lower end of the range that this lies in with 95 %"},
        [](const Line& line) { return TokensOf(line, &Range::low); }},
    Row{{"tokens_per_s.high", "", kFigures, "the upper end of that range"},
        [](const Line& line) { return TokensOf(line, &Range::high); }},
    Row{{"first_token", "s", kFigures, "until the first token of the reference request"},
        [](const Line& line) { return Seconds(line, &Score::first_token_s); }},
    Row{{"request", "s", kFigures, "the whole reference request"},
        [](const Line& line) { return Seconds(line, &Score::request_s); }},
    Row{{"training", "tokens/s", kFigures, "how fast it trains, predicted for the reference step"},
        [](const Line& line) {
          const Score* score = Told(line, Use::kTraining);
          return score && score->tokens_per_s
                     ? Number(score->tokens_per_s->value, TokensText(score->tokens_per_s->value))
                     : Value{};
        }},
    Row{{"bandwidth", "GB/s", kFigures, "how fast its memory is read, measured"},
        [](const Line& line) { return Figure(line, Kernel::kRead, std::nullopt, kGiga); }},
    Row{{"pcie.generation", "", kFacts, "of PCI Express: at work where it was measured, else at this moment"},
        [](const Line& line) { return OfLink(line, &probe::PcieLink::generation); }},
    Row{{"pcie.lanes", "", kFacts, "the lanes that it uses, likewise"},
        [](const Line& line) { return OfLink(line, &probe::PcieLink::lanes); }},
    Row{{"temperature", "C", kFigures, "the highest that was seen while it was measured"},
        [](const Line& line) { return Number(DeviceAtWork(line).temperature_c); }},
    Row{{"power", "W", kFigures, "the most that it was seen to take while it was measured"},
        [](const Line& line) { return Number(DeviceAtWork(line).power_w); }},
    Row{{"fp32", "TFLOP/s", kFigures, "its fastest matrix product in fp32, measured"}, Product<Dtype::kFp32>},
    Row{{"tf32", "TFLOP/s", kFigures, "the same in tf32"}, Product<Dtype::kTf32>},
    Row{{"fp16", "TFLOP/s", kFigures, "the same in fp16"}, Product<Dtype::kFp16>},
    Row{{"bf16", "TFLOP/s", kFigures, "the same in bf16"}, Product<Dtype::kBf16>},
    Row{{"int8", "TOP/s", kFigures, "the same in int8"}, Product<Dtype::kInt8>},
};

const std::array<Field, kRows.size()>& Table() {
  static const auto table = [] {
    std::array<Field, kRows.size()> fields{};
    std::transform(kRows.begin(), kRows.end(), fields.begin(), [](const Row& row) { return row.field; });
    return fields;
  }();
  return table;
}

const Row* RowOf(std::string_view name) {
  const auto* found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.field.name == name; });
  return found == kRows.end() ? nullptr : found;
}

Line LineOf(const Tables& tables, const Report& report, const probe::PhysicalDevice& device,
            const probe::View* view) {
  return {&tables, &report, &device, view, view ? view->device.runtime : "", 0};
}

// Every way, the ranked ones first; then the others, devices without any, and runtimes without a device.
std::vector<Line> LinesOf(const Tables& tables, const Report& report) {
  std::vector<Line> lines;
  std::set<const probe::View*> ranked;
  const auto* answer = report.recommendations.empty() ? nullptr : &report.recommendations.front();
  for (const Score* score : Ranked(report, answer, Use::kInference)) {
    const auto* device = FindDevice(report.devices, score->device_id);
    const auto* view = device ? FindView(*device, score->runtime, score->driver) : nullptr;
    if (!view || !ranked.insert(view).second) continue;
    lines.push_back(LineOf(tables, report, *device, view));
    lines.back().rank = ranked.size();
  }
  std::set<std::string_view> seen;
  for (const auto& device : report.devices) {
    if (device.views.empty()) lines.push_back(LineOf(tables, report, device, nullptr));
    for (const auto& view : device.views) {
      seen.insert(view.device.runtime);
      if (!ranked.contains(&view)) lines.push_back(LineOf(tables, report, device, &view));
    }
  }
  for (const auto& probe : report.probes) {
    if (!Find(tables, probe.module) || seen.contains(probe.module)) continue;
    lines.push_back({&tables, &report, nullptr, nullptr, probe.module, 0});
  }
  return lines;
}

// A runtime without a device is a line where that is asked, not an empty one of facts.
bool TellsOfRuntimes(const QueryRequest& request) {
  return std::any_of(request.fields.begin(), request.fields.end(), [](const std::string& name) {
    return name == "backend" || name == "usable" || name == "reason";
  });
}

// Where the caller names a runtime of which nothing is known, that is told.
void AddNamed(const Tables& tables, const Report& report, const QueryRequest& request,
              std::vector<Line>& lines) {
  for (const std::string& name : request.backends) {
    const bool has_line =
        std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return line.backend == name; });
    if (Find(tables, name) && !has_line) lines.push_back({&tables, &report, nullptr, nullptr, name, 0});
  }
}

std::vector<Line> Asked(std::vector<Line> lines, const QueryRequest& request) {
  if (!TellsOfRuntimes(request)) std::erase_if(lines, [](const Line& line) { return !line.device; });
  std::erase_if(lines, [&](const Line& line) {
    const auto& names = request.backends;
    if (!names.empty() && std::find(names.begin(), names.end(), line.backend) == names.end()) return true;
    if (request.usable && Usable(line).text != "yes") return true;
    return request.gpus && !(line.device && IsGpu(*line.device));
  });
  if (request.backends.empty() && !request.all) {
    std::set<const probe::PhysicalDevice*> told;
    std::erase_if(lines, [&](const Line& line) { return !line.device || !told.insert(line.device).second; });
  }
  if (request.best && lines.size() > 1) lines.erase(lines.begin() + 1, lines.end());
  return lines;
}

std::string Head(const Field& field) {
  return field.unit.empty() ? std::string(field.name) : fmt::format("{} [{}]", field.name, field.unit);
}

// RFC 4180.
std::string Quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// A tab, which a cleaned text can not hold, would be another column.
std::string WithoutTabs(std::string cell) {
  std::replace_if(cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  return cell;
}

std::string InMarkdown(const std::string& cell) {
  std::string out;
  for (const char c : WithoutTabs(cell))
    out += c == '|' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
  return out;
}

using Cells = std::vector<std::string>;

std::string LineText(const Cells& cells, QueryFormat format) {
  Cells written = cells;
  switch (format) {
    case QueryFormat::kCsv:
      std::transform(cells.begin(), cells.end(), written.begin(), Quoted);
      return fmt::format("{}\n", fmt::join(written, ","));
    case QueryFormat::kMarkdown:
      std::transform(cells.begin(), cells.end(), written.begin(), InMarkdown);
      return fmt::format("| {} |\n", fmt::join(written, " | "));
    case QueryFormat::kPlain:
    case QueryFormat::kTsv:
    case QueryFormat::kJson:  // has no lines
      std::transform(cells.begin(), cells.end(), written.begin(), WithoutTabs);
      return fmt::format("{}\n", fmt::join(written, "\t"));
  }
  return "";
}

probe::Json RowsJson(const std::vector<Line>& lines, const std::vector<const Row*>& rows) {
  auto out = probe::Json::array();
  for (const Line& line : lines) {
    auto object = probe::Json::object();
    for (const Row* row : rows) {
      const auto value = row->of(line);
      if (value.number && *value.number == std::floor(*value.number)) {
        object[std::string(row->field.name)] = static_cast<std::int64_t>(*value.number);
      } else if (value.number) {
        object[std::string(row->field.name)] = *value.number;
      } else if (!value.text.empty()) {
        object[std::string(row->field.name)] = value.text;
      }
    }
    out.push_back(std::move(object));
  }
  return out;
}

}  // namespace

std::span<const Field> Fields() { return Table(); }

QueryNeeds NeedsOf(std::span<const std::string> names) {
  QueryNeeds needs;
  for (const auto& name : names) {
    const Row* row = RowOf(name);
    needs.now = needs.now || (row && row->field.need == QueryNeed::kNow);
    needs.figures = needs.figures || (row && row->field.need == QueryNeed::kFigures);
  }
  return needs;
}

std::string FieldList() {
  std::string text;
  for (const Field& field : Fields())
    text += fmt::format("{:<20}{:<10}{}\n", field.name, field.unit, field.text);
  return text;
}

QueryAnswer Query(const Tables& tables, const Report& unclean, const QueryRequest& request) {
  const Report report = Cleaned(unclean);
  std::vector<const Row*> rows;
  for (const auto& name : request.fields) {
    if (const Row* row = RowOf(name)) rows.push_back(row);
  }
  auto all = LinesOf(tables, report);
  AddNamed(tables, report, request, all);
  const auto lines = Asked(std::move(all), request);
  if (request.format == QueryFormat::kJson) {
    auto object = probe::Json::object();
    object["schema_version"] = report.schema_version;
    object["tool_version"] = report.tool_version;
    object["command"] = "query";
    object["created"] = report.created;
    object["interrupted"] = report.interrupted;
    object["rows"] = RowsJson(lines, rows);
    return {probe::ToText(object, 2) + "\n", !lines.empty()};
  }
  QueryAnswer answer{"", !lines.empty()};
  if (request.format != QueryFormat::kPlain) {
    Cells heads;
    for (const Row* row : rows) heads.push_back(Head(row->field));
    answer.text = LineText(heads, request.format);
    if (request.format == QueryFormat::kMarkdown)
      answer.text += LineText(Cells(rows.size(), "---"), request.format);
  }
  for (const Line& line : lines) {
    Cells cells;
    for (const Row* row : rows) cells.push_back(row->of(line).text);
    answer.text += LineText(cells, request.format);
  }
  return answer;
}

}  // namespace report::render
