// A library whose constructor uses hooked functions: it runs before libgpustall.so's constructor.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void* post(void* sem) {
  sem_post(sem);
  return NULL;
}

__attribute__((constructor)) static void start(void) {
  sem_t sem;
  pthread_t t;
  const struct timespec time = {0, 1000};
  int p[2];
  char c;
  if (sem_init(&sem, 0, 0) != 0 || pthread_create(&t, NULL, post, &sem) != 0) abort();
  if (sem_wait(&sem) != 0 || pthread_join(t, NULL) != 0) abort();
  if (nanosleep(&time, NULL) != 0 || usleep(1) != 0) abort();
  if (pipe(p) != 0 || write(p[1], "x", 1) != 1 || read(p[0], &c, 1) != 1 || c != 'x') abort();
  if (write(1, "early\n", 6) != 6) abort();
}
