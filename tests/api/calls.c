/* SPDX-License-Identifier: MIT */
/* A host in C: api_calls THREADS CALLS HOST FUNCTION OPTIONS calls a function of the library so often from each of so many
 * threads. HOST is what it does beside: plain; ignores SIGCHLD; waits for every child in a handler; has its standard
 * streams closed; blocks and ignores signals; has 80 MiB. Prints how often each status came, and what was left: children, descriptors,
 * and whether handlers and masks are as they were. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "whichgpu.h"

enum { kStatuses = 6, kMostThreads = 64 };

static const char *function, *options;
static int calls;
static atomic_int handled;

static void HandleChild(int number) {
  const int kept = errno;
  (void)number;
  atomic_store(&handled, 1);
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
  errno = kept;
}

static void *Work(void *counts) {
  for (int i = 0; i < calls; ++i) {
    const whichgpu_result *result =
        strcmp(function, "report") == 0 ? whichgpu_report(options) : whichgpu_recommend(options);
    const int has_texts = result->status == WHICHGPU_OK ? result->json && !result->error : result->error != NULL;
    if (result->status >= 0 && result->status < kStatuses && has_texts) ++((int *)counts)[result->status];
    whichgpu_free(result);
  }
  return NULL;
}

static int CountDescriptors(void) {
  int count = -1; /* the folder's own */
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return -1;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const int threads = atoi(argv[1]);
  calls = atoi(argv[2]);
  function = argv[4];
  options = strcmp(argv[5], "NULL") == 0 ? NULL : argv[5];
  if (threads < 1 || threads > kMostThreads) return 2;
  FILE *answer = fdopen(dup2(STDOUT_FILENO, 20), "w");
  struct sigaction action = {0};
  if (strcmp(argv[3], "ignores") == 0) action.sa_handler = SIG_IGN;
  if (strcmp(argv[3], "waits") == 0) action.sa_handler = HandleChild;
  sigaction(SIGCHLD, &action, NULL);
  const struct rlimit little = {80 << 20, 80 << 20};
  if (strcmp(argv[3], "starves") == 0) setrlimit(RLIMIT_AS, &little);
  if (strcmp(argv[3], "closed") == 0) {
    for (int i = 0; i <= STDERR_FILENO; ++i) close(i);
  }
  if (strcmp(argv[3], "blocks") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
  }
  sigset_t mask;
  sigprocmask(SIG_SETMASK, NULL, &mask);
  const int before = CountDescriptors();
  static int counts[kMostThreads][kStatuses];
  pthread_t running[kMostThreads];
  for (int i = 0; i < threads; ++i) pthread_create(&running[i], NULL, Work, counts[i]);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int status = 0; status < kStatuses; ++status) {
    int sum = 0;
    for (int i = 0; i < threads; ++i) sum += counts[i][status];
    fprintf(answer, "%d ", sum);
  }
  struct sigaction now;
  sigset_t mask_now;
  sigaction(SIGCHLD, NULL, &now);
  sigprocmask(SIG_SETMASK, NULL, &mask_now);
  const int has_children = waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD;
  int is_changed = now.sa_handler != action.sa_handler;
  for (int number = 1; number < NSIG; ++number)
    is_changed |= sigismember(&mask, number) != sigismember(&mask_now, number);
  fprintf(answer, "children %d descriptors %d changed %d handled %d\n", has_children, CountDescriptors() - before,
          is_changed, atomic_load(&handled));
  fclose(answer);
  return 0;
}
