// host.c: a process that runs servers one after the other, each of which was compiled as a shared library. A test of many
// programs takes most of its time to set up the device for each of them; here that is done once. No program contains this:
// it is one of its own, which the compiler's tests start (crates/driver/src/native/host.rs).
//
// It says `%%% OK` when it is ready. A server is asked for by lines: how many follow, a file for what it writes to standard
// error, the library, and its options. From then on that server answers, until a line with nothing but the character EOT.
//
// Whatever ends a server, such as an option that it does not know, ends this process too.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 256, LONGEST_WORD = 1 << 16 };
enum { BAD_REQUEST = 70, DEVICE_IS_LOST = 71 };

// The context of the first device stays for as long as somebody holds it.
static struct {
  void *context;
  int (*push)(void *), (*pop)(void **), (*synchronize)(void);
} cuda;

static void find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
}
static void hold_cuda(void) {
  int (*initialise)(unsigned) = NULL, (*retain)(void **, int) = NULL;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  find(library, "cuInit", &initialise);
  find(library, "cuDevicePrimaryCtxRetain", &retain);
  find(library, "cuCtxPushCurrent_v2", &cuda.push);
  find(library, "cuCtxPopCurrent_v2", &cuda.pop);
  find(library, "cuCtxSynchronize", &cuda.synchronize);
  if (initialise == NULL || retain == NULL || cuda.push == NULL || cuda.pop == NULL || cuda.synchronize == NULL) return;
  if (initialise(0) != 0 || retain(&cuda.context, 0) != 0) cuda.context = NULL;
}
// A kernel that used a wrong address leaves a context in which nothing works any more.
static int is_device_lost(void) {
  void *before = NULL;
  if (cuda.context == NULL) return 0;
  if (cuda.push(cuda.context) != 0) return 1;
  int code = cuda.synchronize();
  return cuda.pop(&before) != 0 || code != 0;
}

// Reads a line without its end.
static int read_word(char *word) {
  if (fgets(word, LONGEST_WORD, stdin) == NULL) return 0;
  size_t length = strlen(word);
  if (length == 0 || word[length - 1] != '\n') return 0;
  word[length - 1] = '\0';
  return 1;
}

int main(int argc, char **argv) {
  static char line[LONGEST_WORD], *words[MOST_WORDS + 1];
  if (argc > 1 && strcmp(argv[1], "cuda") == 0) hold_cuda();
  for (;;) {
    int count = 0;
    puts("%%% OK");
    fflush(stdout);
    if (!read_word(line)) return 0;
    int wanted = atoi(line);
    if (wanted < 2 || wanted > MOST_WORDS) return BAD_REQUEST;
    while (count < wanted) {
      if (!read_word(line) || (words[count] = malloc(strlen(line) + 1)) == NULL) return BAD_REQUEST;
      strcpy(words[count++], line);
    }
    words[count] = NULL;
    int (*serve)(int, char **) = NULL;
    void *library = freopen(words[0], "w", stderr) == NULL ? NULL : dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    setvbuf(stderr, NULL, _IONBF, 0); // as it was: what is said before a crash is not lost
    if (library != NULL) find(library, "main", &serve);
    if (serve == NULL) {
      const char *error = dlerror();
      fprintf(stderr, "%s\n", error == NULL ? "there is no such server" : error);
      return BAD_REQUEST;
    }
    int code = serve(count - 1, words + 1);
    if (code != 0) return code;
    dlclose(library);
    while (count > 0) free(words[--count]);
    if (is_device_lost()) return DEVICE_IS_LOST;
  }
}
