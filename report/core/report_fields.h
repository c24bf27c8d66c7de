// SPDX-License-Identifier: MIT
// The field lists of the report's types, for probe/core/codec.h. A report's JSON leaves out what stands
// elsewhere in it: see render/json.h.
#pragma once

#include "backends/core/measurement_fields.h"
#include "probe/core/fields.h"
#include "report/core/report.h"
#include "report/core/report_names.h"
#include "report/core/request_fields.h"

namespace report {

template <class V, probe::Is<Range> S>
void Fields(V& v, S& s) {
  v("value", s.value);
  v("low", s.low);
  v("high", s.high);
}

template <class V, probe::Is<ScorePart> S>
void Fields(V& v, S& s) {
  v("name", s.name);
  v("seconds", s.seconds);
  v("limited_by", s.limited_by);
}

template <class V, probe::Is<Score> S>
void Fields(V& v, S& s) {
  v("device_id", s.device_id);
  v("runtime", s.runtime);
  v("driver", s.driver);
  v("use", s.use);
  v("tokens_per_s", s.tokens_per_s);
  v("ranking_tokens_per_s", s.ranking_tokens_per_s);
  v("request_s", s.request_s);
  v("first_token_s", s.first_token_s);
  v("writing_tokens_per_s", s.writing_tokens_per_s);
  v("needed_bytes", s.needed_bytes);
  v("streamed_bytes", s.streamed_bytes);
  v("fits", s.fits);
  v("parts", s.parts);
  v("basis", s.basis);
  v("eligible", s.eligible);
  v("reasons", s.reasons);
}

template <class V, probe::Is<Rejected> S>
void Fields(V& v, S& s) {
  v("device_id", s.device_id);
  v("runtime", s.runtime);
  v("driver", s.driver);
  v("reason", s.reason);
}

template <class V, probe::Is<Selection> S>
void Fields(V& v, S& s) {
  v("name", s.name);
  v("value", s.value);
  v("selects", s.selects);
}

template <class V, probe::Is<Recommendation> S>
void Fields(V& v, S& s) {
  v("use", s.use);
  v("target", s.target);
  v("backend", s.backend);
  v("device_id", s.device_id);
  v("driver", s.driver);
  v("environment", s.environment);
  v("tokens_per_s", s.tokens_per_s);
  v("request_s", s.request_s);
  v("first_token_s", s.first_token_s);
  v("writing_tokens_per_s", s.writing_tokens_per_s);
  v("basis", s.basis);
  v("confidence", s.confidence);
  v("tie", s.tie);
  v("undecided", s.undecided);
  if constexpr (std::is_const_v<S>) {
    auto reasons = s.reasons;
    if (s.arithmetic) reasons.push_back(*s.arithmetic);
    v("reasons", reasons);
  } else {
    v("reasons", s.reasons);
    v("arithmetic", s.arithmetic);  // absent in JSON, where it is one of the reasons
  }
  v("rejected", s.rejected);
  v("warnings", s.warnings);
}

template <class V, probe::Is<Evidence> S>
void Fields(V& v, S& s) {
  v("source", s.source);
  v("value", s.value);
}

template <class V, probe::Is<Fix> S>
void Fields(V& v, S& s) {
  v("text", s.text);
  v("command", s.command);
  v("needs_root", s.needs_root);
  v("needs_reboot", s.needs_reboot);
}

template <class V, probe::Is<Finding> S>
void Fields(V& v, S& s) {
  v("id", s.id);
  v("layer", s.layer);
  v("severity", s.severity);
  v("device_id", s.device_id);
  v("runtime", s.runtime);
  v("summary", s.summary);
  v("evidence", s.evidence);
  v("meaning", s.meaning);
  v("fix", s.fix);
  v("source", s.source);
  v("confidence", s.confidence);
}

template <class V, probe::Is<Installed> S>
void Fields(V& v, S& s) {
  v("runtime", s.runtime);
  v("file", s.file);
}

template <class V, probe::Is<Host> S>
void Fields(V& v, S& s) {
  v("name", s.name);
  v("os", s.os);
  v("kernel", s.kernel);
  v("architecture", s.architecture);
  v("container", s.container);
  v("virtualization", s.virtualization);
  v("installed", s.installed);
}

template <class V, probe::Is<Report> S>
void Fields(V& v, S& s) {
  v("schema_version", s.schema_version);
  v("tool_version", s.tool_version);
  v("command", s.command);
  v("created", s.created);
  v("interrupted", s.interrupted);
  v("host", s.host);
  v("probes", s.probes);
  v("devices", s.devices);
  v("measurements", s.measurements);
  v("request", s.request);
  v("scores", s.scores);
  v("recommendations", s.recommendations);
  v("findings", s.findings);
  v("warnings", s.warnings);
}

}  // namespace report

namespace probe {
extern template struct Codec<report::Report>;
}  // namespace probe
