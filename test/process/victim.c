// A program that does one thing that an injected library can break, named by its first argument. It
// uses (the fake) CUDA first, so that a recording is under way. Prints what a run without injection
// prints; exits 0 when all was as it must be.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cudaDeviceSynchronize(void);

#define CHECK(what)                                               \
  do {                                                            \
    if (!(what)) {                                                \
      printf("line %d: %s (errno %d)\n", __LINE__, #what, errno); \
      exit(1);                                                    \
    }                                                             \
  } while (0)

static int g_pipe[2];

static void* write_later(void* text) {
  usleep(20000);
  CHECK(write(g_pipe[1], text, 1) == 1);
  return NULL;
}

// errno is what the call left, and untouched by a call that succeeds.
static void keep_errno(void) {
  char c;
  pthread_t t;
  CHECK(pthread_create(&t, NULL, write_later, "x") == 0);
  errno = 77;
  CHECK(read(g_pipe[0], &c, 1) == 1 && c == 'x' && errno == 77);
  CHECK(read(-1, &c, 1) == -1 && errno == EBADF);
  CHECK(fcntl(g_pipe[0], F_SETFL, O_NONBLOCK) == 0);
  errno = 0;
  CHECK(read(g_pipe[0], &c, 1) == -1 && errno == EAGAIN);
  errno = 78;
  CHECK(usleep(3000) == 0 && errno == 78);
  CHECK(pthread_join(t, NULL) == 0);
}

static void* sleep_shortly(void* unused) {
  usleep(100);
  return unused;
}
static void churn(void) {
  for (int i = 0; i < 500; ++i) {
    pthread_t t[4];
    for (int j = 0; j < 4; ++j) CHECK(pthread_create(&t[j], NULL, sleep_shortly, NULL) == 0);
    for (int j = 0; j < 4; ++j) CHECK(pthread_join(t[j], NULL) == 0);
  }
}

static pthread_key_t g_key;
static int g_rounds;
static void destroy(void* value) {
  usleep(3000);
  if (++g_rounds < 4) pthread_setspecific(g_key, value);  // runs again, after our library's own
}
static void* use_key(void* unused) {
  pthread_setspecific(g_key, &g_rounds);
  usleep(3000);
  return unused;
}
static void tls_destructor(void) {
  pthread_t t;
  CHECK(pthread_key_create(&g_key, destroy) == 0);
  CHECK(pthread_create(&t, NULL, use_key, NULL) == 0);
  CHECK(pthread_join(t, NULL) == 0 && g_rounds == 4);
}

static sem_t g_sem;
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_cond = PTHREAD_COND_INITIALIZER;
static int g_cleaned;
static void cleanup(void* mutex) {
  ++g_cleaned;
  if (mutex != NULL) pthread_mutex_unlock(mutex);
}
static void* block_in(void* what) {
  char c;
  if (*(char*)what == 'c') pthread_mutex_lock(&g_mutex);
  pthread_cleanup_push(cleanup, *(char*)what == 'c' ? &g_mutex : NULL);
  if (*(char*)what == 'r') CHECK(read(g_pipe[0], &c, 1) == 12345);
  if (*(char*)what == 's') sem_wait(&g_sem);
  if (*(char*)what == 'c')
    for (;;) pthread_cond_wait(&g_cond, &g_mutex);
  if (*(char*)what == 'n') sleep(1000);
  pthread_cleanup_pop(0);
  return NULL;
}
static void cancel(void) {
  for (const char* what = "rscn"; *what != '\0'; ++what) {
    pthread_t t;
    void* result;
    CHECK(pthread_create(&t, NULL, block_in, (void*)what) == 0);
    usleep(20000);
    CHECK(pthread_cancel(t) == 0 && pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
  }
  CHECK(g_cleaned == 4);
}

static void exit_while_blocked(void) {
  for (const char* what = "rscn"; *what != '\0'; ++what) {
    pthread_t t;
    CHECK(pthread_create(&t, NULL, block_in, (void*)what) == 0);
  }
  usleep(50000);
  exit(3);
}

static volatile int g_alarms;
static void on_alarm(int signal) {
  (void)signal;
  ++g_alarms;
  if (write(g_pipe[1], "a", 1) != 1) abort();
  usleep(10);
}
static void signals(void) {
  struct sigaction action = {.sa_handler = on_alarm};  // no SA_RESTART: EINTR must come through
  struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  char c;
  int interrupted = 0;
  CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &every, NULL) == 0);
  for (int i = 0; i < 400; ++i) {
    if (usleep(1000) == -1) interrupted += errno == EINTR;
    while (read(g_pipe[0], &c, 1) != 1) CHECK(errno == EINTR);
    CHECK(c == 'a');
  }
  setitimer(ITIMER_REAL, &never, NULL);
  CHECK(g_alarms >= 400 && interrupted > 0);
}

static void* signal_later(void* unused) {
  usleep(20000);
  pthread_mutex_lock(&g_mutex);
  pthread_cond_signal(&g_cond);
  pthread_mutex_unlock(&g_mutex);
  usleep(20000);
  sem_post(&g_sem);
  return unused;
}
static void wakers(void) {
  pthread_t t;
  pthread_mutex_lock(&g_mutex);
  CHECK(pthread_create(&t, NULL, signal_later, NULL) == 0);
  CHECK(pthread_cond_wait(&g_cond, &g_mutex) == 0);
  pthread_mutex_unlock(&g_mutex);
  CHECK(sem_wait(&g_sem) == 0);
  CHECK(pthread_join(t, NULL) == 0);
}

static void fork_children(void) {
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      usleep(5000);
      if (i == 1) _exit(11);
      if (i == 2) raise(SIGKILL);
      exit(10);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    if (i == 0) CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 10);
    if (i == 1) CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 11);
    if (i == 2) CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
}

// Many threads fork while others wait and wake: no child may hang on a lock of ours.
static void* fork_often(void* unused) {
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      usleep(200);
      _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  return unused;
}
static void fork_storm(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) CHECK(pthread_create(&t[i], NULL, fork_often, NULL) == 0);
  for (int i = 0; i < 4; ++i) CHECK(pthread_join(t[i], NULL) == 0);
}

static void vfork_and_exec(void) {
  for (int i = 0; i < 20; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      usleep(3000);  // a wait in a process that shares our memory
      execl("/bin/true", "true", (char*)NULL);
      _exit(1);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

static void close_all(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  for (int i = 0; i < 1024; ++i) dup(1);  // whatever number was ours is somebody else's now
  char c;
  int p[2];
  CHECK(close(900) == 0 && close(901) == 0 && pipe(p) == 0);
  for (int i = 0; i < 60000; ++i) {
    CHECK(write(p[1], "y", 1) == 1);
    CHECK(read(p[0], &c, 1) == 1);
  }
}

static void wait_some(long count) {
  for (; count > 0; --count) {
    struct timespec t = {0, 1000};
    nanosleep(&t, NULL);
  }
}
static void wait_much(void) {
  const char* count = getenv("VICTIM_WAITS");
  wait_some(count == NULL ? 1000 : atol(count));
}

static void vfork_and_exit(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/nowhere", "nowhere", (char*)NULL);
    _exit(9);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
  wait_much();
}

// The kernel says EFAULT; nobody else may look there.
static void bad_pointers(void) {
  struct timeval none = {0, 0};
  struct pollfd* volatile nowhere = (struct pollfd*)8;
  CHECK(poll(nowhere, 1, 0) == -1 && errno == EFAULT);
  CHECK(select(5, (fd_set*)8, NULL, NULL, &none) == -1 && errno == EFAULT);
}

// What is closed is free at once, and nobody takes the number meanwhile.
static void* wait_always(void* nothing) {
  for (;;) usleep(2000);
  return nothing;
}
static void take_lowest(void) {
  pthread_t threads[8];
  for (int i = 0; i < 8; ++i) CHECK(pthread_create(&threads[i], NULL, wait_always, NULL) == 0);
  const time_t end = time(NULL) + 3;
  while (time(NULL) < end) {
    CHECK(close(0) == 0);
    const int fd = open("/dev/null", O_RDONLY);
    CHECK(fd == 0);
  }
}

// The last writer is gone: nobody else holds its end.
static void end_of_pipe(void) {
  struct pollfd end = {g_pipe[0], POLLIN, 0};
  char c;
  usleep(100000);
  CHECK(close(g_pipe[1]) == 0);
  CHECK(poll(&end, 1, 10000) == 1 && read(g_pipe[0], &c, 1) == 0);
}

// The process ends, with 0, when its last thread does; what stdio holds is written then.
static void* work_on(void* nothing) {
  usleep(20000);
  return nothing;
}
static void leave_by_thread(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work_on, NULL) == 0);
  printf("left\n");
  pthread_exit(NULL);
}

// Cuts our own trace to `g_size` bytes again and again.
static long g_size;
static void cut_trace(void) {
  char path[64];
  for (int fd = 3; fd < 1024; ++fd) {
    char target[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 4 || memcmp(target + n - 4, ".gst", 4) != 0) continue;
    target[n] = '\0';
    for (int i = 0; i < 20; ++i) {
      CHECK(truncate(target, g_size) == 0);
      wait_some(200);
    }
  }
}

static const struct {
  const char* name;
  void (*run)(void);
} kActs[] = {{"errno", keep_errno},
             {"churn", churn},
             {"tls", tls_destructor},
             {"cancel", cancel},
             {"blocked", exit_while_blocked},
             {"signals", signals},
             {"wakers", wakers},
             {"fork", fork_children},
             {"storm", fork_storm},
             {"vfork", vfork_and_exec},
             {"close", close_all},
             {"vfork_exit", vfork_and_exit},
             {"cut", cut_trace},
             {"bad_pointers", bad_pointers},
             {"leave", leave_by_thread},
             {"lowest", take_lowest},
             {"end_of_pipe", end_of_pipe},
             {"waits", wait_much}};

// The system calls of these numbers fail, as under a filter that does not know them.
static void refuse_calls(const char* numbers) {
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  for (char* next; *numbers != '\0'; numbers = *next == ',' ? next + 1 : next) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)strtoul(numbers, &next, 10), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  }
}

int main(int argc, char** argv) {
  if (getenv("VICTIM_REFUSED") != NULL) refuse_calls(getenv("VICTIM_REFUSED"));
  CHECK(pipe(g_pipe) == 0 && sem_init(&g_sem, 0, 0) == 0);
  if (getenv("VICTIM_NO_CUDA") == NULL) CHECK(cudaDeviceSynchronize() == 0);
  for (size_t i = 0; argc > 1 && i < sizeof kActs / sizeof *kActs; ++i) {
    if (strcmp(argv[1], kActs[i].name) != 0) continue;
    if (argc > 2) g_size = atol(argv[2]);
    kActs[i].run();
    printf("done\n");
    fflush(stdout);
    if (argc > 2 && strcmp(argv[2], "kill") == 0) usleep(300000);
    if (argc > 2 && strncmp(argv[2], "kill", 4) == 0) raise(SIGKILL);
    if (argc > 2 && strcmp(argv[2], "exec") == 0) execv("/bin/true", (char*[]){"true", NULL});
    if (argc > 2 && strcmp(argv[2], "_exit") == 0) _exit(5);
    return 0;
  }
  return 2;
}
