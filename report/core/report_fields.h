// SPDX-License-Identifier: MIT
// The field lists of the report's types, for probe/core/codec.h. A report's JSON leaves out what stands
// elsewhere in it: see render/json.h.
#pragma once

#include "backends/core/measurement_fields.h"
#include "probe/core/fields.h"
#include "report/core/report.h"
#include "report/core/report_names.h"
#include "report/core/request.h"

// One of a later version is another reason, and no error.
template <>
struct probe::Codec<report::ReasonId> {
  static constexpr bool kOptional = false;
  static Json Encode(report::ReasonId id) { return std::string(NameOf(id)); }
  static detail::MaybeError Decode(const Json& json, const std::string& path, report::ReasonId& id) {
    if (!json.is_string()) return detail::Mismatch(path, "the id of a reason");
    id = ParseName<report::ReasonId>(json.get_ref<const std::string&>()).value_or(report::ReasonId::kOther);
    return std::nullopt;
  }
};

namespace report {

WHICHGPU_FIELDS(Range, value, low, high)
WHICHGPU_FIELDS(ScorePart, name, seconds, limited_by)
WHICHGPU_FIELDS(Reason, id, text, ways, ratio, option)

// Reports of versions that told no ids are read, too.
template <class V>
inline constexpr bool kIsRead = std::is_same_v<V, probe::detail::FieldDecoder>;

// JSON has the sentences of a score alone.
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
  if constexpr (std::is_const_v<S>) {
    const std::vector<std::string> reasons(s.reasons.begin(), s.reasons.end());
    v("reasons", reasons);
  } else if constexpr (kIsRead<V>) {
    std::vector<std::string> reasons;
    v("reasons", reasons);
    for (std::string& text : reasons) s.reasons.push_back({ReasonId::kOther, std::move(text)});
  } else {
    v("reasons", s.reasons);
  }
}

template <class V, probe::Is<Rejected> S>
void Fields(V& v, S& s) {
  v("device_id", s.device_id);
  v("runtime", s.runtime);
  v("driver", s.driver);
  v("reason", s.reason);
  if constexpr (kIsRead<V>) {
    std::optional<ReasonId> id;
    v("id", id);
    s.id = id.value_or(ReasonId::kOther);
  } else {
    v("id", s.id);
  }
  v("ratio", s.ratio);
  v("option", s.option);
}
WHICHGPU_FIELDS(Selection, name, value, selects)

WHICHGPU_FIELDS(Artefact, id, requirements, index, extra_index, find_links, asset, provider, image, options,
                cmake, note, missing, source, date)

WHICHGPU_FIELDS(CodeForGpu, backend, architecture, has_code, build, reason, source, date)
WHICHGPU_FIELDS(OtherProgram, target, title, backend, build)
WHICHGPU_FIELDS(GpuBuilds, device_id, builds, served_by)

WHICHGPU_FIELDS(Program, target, title, backend, device_id, artefact, command, reason, missing, warnings)

WHICHGPU_FIELDS(NothingFits, needed_bytes, available_bytes, host_bytes, smaller_bytes)

template <class V, probe::Is<Recommendation> S>
void Fields(V& v, S& s) {
  v("use", s.use);
  v("target", s.target);
  v("backend", s.backend);
  v("device_id", s.device_id);
  v("driver", s.driver);
  v("environment", s.environment);
  v("artefact", s.artefact);
  v("command", s.command);
  v("gpu_builds", s.gpu_builds);
  v("programs", s.programs);
  v("tokens_per_s", s.tokens_per_s);
  v("request_s", s.request_s);
  v("first_token_s", s.first_token_s);
  v("writing_tokens_per_s", s.writing_tokens_per_s);
  v("nothing_fits", s.nothing_fits);
  v("basis", s.basis);
  v("confidence", s.confidence);
  v("tie", s.tie);
  v("undecided", s.undecided);
  if constexpr (std::is_const_v<S>) {
    auto why = s.reasons;
    if (s.arithmetic) why.push_back({ReasonId::kArithmetic, *s.arithmetic});
    const std::vector<std::string> reasons(why.begin(), why.end());
    v("reasons", reasons);
    v("why", why);
  } else if constexpr (kIsRead<V>) {
    std::vector<std::string> reasons;
    std::optional<std::vector<Reason>> why;
    v("reasons", reasons);
    v("why", why);
    if (!why) {
      why.emplace();
      for (std::string& text : reasons) why->push_back({ReasonId::kOther, std::move(text)});
    }
    s.reasons = *std::move(why);
  } else {
    v("why", s.reasons);
    v("arithmetic", s.arithmetic);  // absent in JSON, where it is one of the reasons
  }
  v("rejected", s.rejected);
  v("warnings", s.warnings);
}

WHICHGPU_FIELDS(NoAnswer, use, asked, reason, rejected)
WHICHGPU_FIELDS(Evidence, source, value)
WHICHGPU_FIELDS(Fix, text, command, needs_root, needs_reboot)
WHICHGPU_FIELDS(Step, text, command, needs_root, needs_reboot, why)
WHICHGPU_FIELDS(Finding, id, layer, severity, device_id, device_ids, runtime, summary, evidence, meaning, fix,
                source, confidence)
WHICHGPU_FIELDS(Installed, runtime, file)
WHICHGPU_FIELDS(Host, name, os, system, libc, kernel, architecture, container, virtualization, os_release,
                installed)
WHICHGPU_FIELDS(Report, schema_version, tool_version, command, created, interrupted, host, probes, devices,
                measurements, request, scores, recommendations, no_answer, findings, advice, warnings)

}  // namespace report

namespace probe {
extern template struct Codec<report::Report>;
}  // namespace probe
