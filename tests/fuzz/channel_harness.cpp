// SPDX-License-Identifier: MIT
// What a child streams: records out of bytes, however they arrive, the events in them, and what those say of
// a module. An input that begins with '{' is a list of records, one a line, each framed here, so that the
// parts behind the framing are reached; any other is the stream itself.
#include <algorithm>
#include <string>
#include <vector>

#include "backends/core/measurement_fields.h"
#include "probe/core/fields.h"
#include "probe/isolate/channel.h"
#include "probe/isolate/running_child.h"
#include "report/core/wording.h"
#include "report/run/assemble.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::Require;
using probe::Json;
using probe::isolate::ChildEnd;

std::string Framed(std::string_view lines) {
  std::string stream;
  fuzz::Input input(reinterpret_cast<const std::uint8_t*>(lines.data()), lines.size());
  while (!input.empty()) {
    const auto line = input.Piece();
    for (unsigned int i = 0; i < 4; ++i) stream += static_cast<char>(line.size() >> (8 * i) & 0xffU);
    stream += line;
  }
  return stream;
}

struct Received {
  std::vector<Json> records;
  std::string broken;
};

Received Receive(std::string_view stream, std::size_t step) {
  probe::isolate::Deframer deframer;
  Received out;
  for (; !stream.empty(); stream.remove_prefix(std::min(step, stream.size()))) {
    for (Json& record : deframer.Push(stream.substr(0, step))) out.records.push_back(std::move(record));
  }
  out.broken = deframer.broken();
  return out;
}

void CheckEvents(const Json& record) {
  if (const auto event = probe::DecodeEvent(record)) {
    const Json encoded = probe::EncodeEvent(*event);
    const auto again = probe::DecodeEvent(encoded);
    Require(again.ok() && probe::EncodeEvent(*again) == encoded, "an event reads as it was written",
            probe::ToText(encoded, -1));
  }
  if (const auto event = backends::DecodeEvent(record)) {
    const Json encoded = backends::EncodeEvent(*event);
    const auto again = backends::DecodeEvent(encoded);
    Require(again.ok() && backends::EncodeEvent(*again) == encoded, "a measurement reads as it was written",
            probe::ToText(encoded, -1));
  }
}

void CheckReport(const probe::ProbeReport& assembled) {
  static const auto tables = fuzz::Must(report::EmbeddedTables());
  // Once, because what was said on stderr is several lines, and one in a record.
  const auto report = fuzz::Must(probe::Decode<probe::ProbeReport>(probe::Encode(assembled)));
  const auto again = probe::Decode<probe::ProbeReport>(probe::Encode(report));
  Require(again.ok() && *again == report, "a report reads as it was written",
          probe::ToText(probe::Encode(report), -1));
  Require(report.devices.size() <= probe::kMaxEntries && report.drivers.size() <= probe::kMaxEntries,
          "a report's lists are bounded");
  fuzz::RequireLine(report::OutcomeText(tables, report));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::AsText(data, size);
  const auto hash = fuzz::HashOf(text);
  const std::string stream = text.starts_with('{') ? Framed(text) : std::string(text);
  const Received whole = Receive(stream, std::max<std::size_t>(stream.size(), 1));
  const Received pieces = Receive(stream, 1 + hash % 37);
  Require(whole.records == pieces.records && whole.broken == pieces.broken,
          "pieces give what the whole gives");
  for (const Json& record : whole.records) CheckEvents(record);

  probe::isolate::ChildResult result;
  result.records = whole.records;
  result.end = static_cast<ChildEnd>(hash % (static_cast<unsigned int>(ChildEnd::kInterrupted) + 1));
  result.stderr_tail = probe::isolate::CleanTail(text.substr(0, 200), 100);
  Require(fuzz::IsUtf8(result.stderr_tail) && fuzz::IsHarmless(result.stderr_tail, "\n"),
          "what a child complains is harmless", result.stderr_tail);
  std::vector<report::FileRead> files;
  const auto report = report::Assemble("vulkan", result, files);
  CheckReport(report);
  CheckReport(report::MergeDrivers("vulkan", {{"/a.json", report}, {"/b.json", report}}));
  return 0;
}
