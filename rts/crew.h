// crew.h: threads that build kernels before they are needed. NVRTC takes a tenth of a second for each, and a program may have
// dozens; so when a second one has to be built, idle processors begin with those behind it. Nobody waits for a kernel that is
// not needed, but the one that is being built when the context ends. Needs base.h and cuda.h.
//
// Texts that fail to build are built again by whoever needs them, who tells why.

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

// Tests that count requests for memory define it as 0.
#ifndef KZ_MOST_HELPERS
#define KZ_MOST_HELPERS 8
#endif
enum { KZ_HELPER_STACK = 16 << 20 };
// A kernel that can be built ahead; its options tell it from others, and are to be freed.
struct kz_job {
  enum { KZ_WAITS, KZ_IS_BUILT, KZ_IS_DONE, KZ_IS_TAKEN } state;
  char *options, *binary; // NULL if it failed
  size_t size;
};
struct kz_crew {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct kz_device *device;
  const char *text;
  struct kz_job *jobs;
  int job_count, next, helper_count;
  bool is_over;
  pthread_t helpers[KZ_MOST_HELPERS + 1];
};

static void *kz_help(void *with) {
  struct kz_crew *crew = with;
  pthread_mutex_lock(&crew->lock);
  while (!crew->is_over && crew->next < crew->job_count) {
    struct kz_job *job = &crew->jobs[crew->next++];
    if (job->state != KZ_WAITS) continue;
    job->state = KZ_IS_BUILT;
    pthread_mutex_unlock(&crew->lock);
    char *log = NULL, *binary = NULL;
    size_t size = 0;
    bool fine = kz_compile(crew->device, crew->text, job->options, &binary, &size, &log) == 0;
    free(log);
    pthread_mutex_lock(&crew->lock);
    job->state = KZ_IS_DONE;
    if (fine) job->binary = binary, job->size = size;
    pthread_cond_broadcast(&crew->changed);
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}
// How many processors have nothing else to do, without our own.
KZ_FN int kz_idle_processors(void) {
#ifdef _SC_NPROCESSORS_ONLN
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
#else
  long processors = 1;
#endif
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = 0;
  double idle = (double)processors - (load < 1 ? 1 : load);
  return idle < 1 ? 0 : idle > KZ_MOST_HELPERS ? KZ_MOST_HELPERS : (int)idle;
}
// Begins with these jobs, in order, which it takes over; NULL, and they are freed, where nobody can help.
KZ_OUTLINE struct kz_crew *kz_crew_begin(struct kz_device *d, const char *text, struct kz_job *jobs, int job_count) {
  int idle = kz_idle_processors(), wanted = idle < job_count ? idle : job_count;
  struct kz_crew *crew = wanted > 0 ? kz_malloc(sizeof *crew) : NULL;
  if (crew == NULL) {
    for (int i = 0; i < job_count; i++) free(jobs[i].options);
    free(jobs);
    return NULL;
  }
  memset(crew, 0, sizeof *crew);
  crew->device = d, crew->text = text, crew->jobs = jobs, crew->job_count = job_count;
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->changed, NULL);
  // Signals are for the threads of whoever uses us.
  sigset_t all, old;
  pthread_attr_t attributes;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_setstacksize(&attributes, KZ_HELPER_STACK);
    while (crew->helper_count < wanted
        && pthread_create(&crew->helpers[crew->helper_count], &attributes, kz_help, crew) == 0) crew->helper_count++;
    pthread_attr_destroy(&attributes);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return crew;
}
// The binary for these options, to be freed: what is being built is waited for. NULL if the caller has to build it.
KZ_OUTLINE char *kz_crew_take(struct kz_crew *crew, const char *options, size_t *size) {
  char *binary = NULL;
  if (crew == NULL) return NULL;
  pthread_mutex_lock(&crew->lock);
  for (int i = 0; i < crew->job_count; i++) {
    struct kz_job *job = &crew->jobs[i];
    if (job->state == KZ_IS_TAKEN || strcmp(job->options, options) != 0) continue;
    while (job->state == KZ_IS_BUILT) pthread_cond_wait(&crew->changed, &crew->lock);
    binary = job->binary, *size = job->size;
    job->binary = NULL, job->state = KZ_IS_TAKEN;
  }
  pthread_mutex_unlock(&crew->lock);
  return binary;
}
KZ_OUTLINE void kz_crew_end(struct kz_crew *crew) {
  if (crew == NULL) return;
  pthread_mutex_lock(&crew->lock);
  crew->is_over = true;
  pthread_mutex_unlock(&crew->lock);
  for (int i = 0; i < crew->helper_count; i++) pthread_join(crew->helpers[i], NULL);
  for (int i = 0; i < crew->job_count; i++) {
    free(crew->jobs[i].options);
    free(crew->jobs[i].binary);
  }
  pthread_cond_destroy(&crew->changed);
  pthread_mutex_destroy(&crew->lock);
  free(crew->jobs);
  free(crew);
}
