/* load LIBRARY: microseconds that dlopen takes in a fresh process. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

int main(int count, char **values) {
    struct timespec before, after;
    if (count != 2) return 2;
    clock_gettime(CLOCK_MONOTONIC, &before);
    void *library = dlopen(values[1], RTLD_NOW | RTLD_LOCAL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("%.1f\n", (double)(after.tv_sec - before.tv_sec) * 1e6 + (double)(after.tv_nsec - before.tv_nsec) / 1e3);
    return 0;
}
