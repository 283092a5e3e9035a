/* Stands in for the recorder: proves that it was loaded, and leaves a file where one is expected.
   Does nothing without the variables of the test. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void loaded(void) {
  const char* proof = getenv("TEST_LOADED");
  const char* folder = getenv("GPUSTALL_OUT");
  char path[4096];
  if (proof != NULL) {
    const int fd = open(proof, O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (fd >= 0) close(fd);
  }
  if (getenv("TEST_RECORDS") == NULL || folder == NULL) return;
  snprintf(path, sizeof path, "%s/r0-%d.gst", folder, (int)getpid());
  const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd >= 0) close(fd);
}
