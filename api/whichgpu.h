/* SPDX-License-Identifier: MIT */
/* libwhichgpu: what `whichgpu --json` and `whichgpu recommend --json` answer, for programs in C, C++ and
 * whatever calls C. docs/c-api.md tells more, docs/contract.md what is promised.
 *
 * The library is thin. Each call starts the program `whichgpu` and waits for it, so that no driver is ever
 * loaded into the calling process: one that crashes, hangs or lies costs nothing here. The program is the
 * option "program", else the variable WHICHGPU_PROGRAM, else the one that was installed with the library,
 * else the first in PATH.
 *
 * Threads: every function may be called from any thread, any number at once; the library keeps no state. A
 * call blocks, and is no cancellation point. It reads the environment, which nobody may change meanwhile
 * (setenv). It installs no handler of signals and waits for its own child alone; where the host ignores
 * SIGCHLD, or waits for everybody's children, the status is told from the answer: what gave none is
 * WHICHGPU_INTERNAL then. The child inherits the environment and the working directory, no descriptor and no
 * mask of signals. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define WHICHGPU_EXPORT __attribute__((visibility("default")))

/* Values do not change; new ones may come. */
enum {
  WHICHGPU_OK = 0,         /* an answer, also where it is the processor: json */
  WHICHGPU_NO_ANSWER = 1,  /* nothing fits what was asked for: json, and error says why */
  WHICHGPU_BAD_INPUT = 2,  /* the options are wrong: error says what, and what would be right */
  WHICHGPU_INTERNAL = 3,   /* the program failed, or its answer is none: error */
  WHICHGPU_NO_PROGRAM = 4, /* whichgpu was not found, or can not be started: error */
  WHICHGPU_TIMED_OUT = 5   /* "deadline_s" passed: error, and json where something was known by then */
};

/* Fields may be added at the end. */
typedef struct whichgpu_result {
  int status;
  const char* json;  /* one object, UTF-8: share/whichgpu/schema has its schema; NULL where there is none */
  const char* error; /* one line, UTF-8; NULL where there is none */
} whichgpu_result;

/* clang-format off: a row a line. */
/* options: an object of JSON, UTF-8 that ends in a zero byte, at most 1 MiB; NULL is {}. It stays the
 * caller's. The keys are those of the program's options, with "_" in the place of "-", and the unit of
 * seconds:
 *   "only", "skip"                   words: a text, or an array of texts
 *   "assume"                         a text for each device, or an array of them
 *   "device", "assume_machine"       texts
 *   "sysroot", "replay", "request"   paths
 *   "timeout_s", "budget_s"          numbers
 *   "retry_crashed", "quick", "thorough", "no_calibrate", "measure"   true or false
 * of whichgpu_recommend alone
 *   "for", "target", "policy", "can", "min_memory"   texts
 *   "among", "exclude"               words
 *   "tables"                         a path
 * and of the library
 *   "program"                        a path
 *   "deadline_s"                     after which the program is ended, 600 without it; that takes 5 s at most
 * Any other key, one that stands twice, and a value of another type are WHICHGPU_BAD_INPUT. No value can
 * become an option of its own.
 *
 * The result is never NULL. It is the caller's, who gives it to whichgpu_free once. */
/* clang-format on */
WHICHGPU_EXPORT const whichgpu_result* whichgpu_report(const char* options);
WHICHGPU_EXPORT const whichgpu_result* whichgpu_recommend(const char* options);

/* NULL is allowed. */
WHICHGPU_EXPORT void whichgpu_free(const whichgpu_result* result);

#ifdef __cplusplus
}
#endif
