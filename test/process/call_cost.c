// The cost of one hooked call: ns per call at low percentiles, for bench.py. A short read
// (counted), a wake without waiters, and a launch that the fake runtime answers at once (recorded).
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int cudaStreamSynchronize(void* stream);

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static int g_fd;
static sem_t g_sem;
static void short_read(void) {
  char c;
  if (read(g_fd, &c, 1) != 1) abort();
}
static void wake(void) {
  sem_post(&g_sem);
}
static void cuda_call(void) {
  cudaStreamSynchronize(NULL);
}

static void measure(const char* name, void (*call)(void)) {
  enum { kBatches = 400, kCalls = 500 };
  static double cost[kBatches];
  for (int i = 0; i < kBatches; ++i) {
    const double start = now_ns();
    for (int j = 0; j < kCalls; ++j) call();
    cost[i] = (now_ns() - start) / kCalls;
  }
  qsort(cost, kBatches, sizeof *cost, by_value);
  printf("%s %.1f\n", name, cost[kBatches / 10]);
}

int main(void) {
  g_fd = open("/dev/zero", O_RDONLY);
  sem_init(&g_sem, 0, 0);
  cuda_call();
  measure("read", short_read);
  sem_init(&g_sem, 0, 0);
  measure("sem_post", wake);
  measure("cuda", cuda_call);
  return 0;
}
