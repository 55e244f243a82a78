/* Stands in for libFuzzer: runs every file (and every file of every folder) named on the command line once. */
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static unsigned files;

static void run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    static uint8_t data[1 << 16];
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    /* An exact copy on the heap, so that memory checkers see every read beyond it. */
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL) exit(2);
    memcpy(copy, data, size);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    files++;
}

static void run_path(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        perror(path);
        exit(2);
    }
    if (!S_ISDIR(status.st_mode)) {
        run_file(path);
        return;
    }
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inner[4096];
        snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') run_path(inner);
        free(names[i]);
    }
    if (count >= 0) free(names);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) run_path(argv[i]);
    if (files == 0) {
        fprintf(stderr, "usage: %s file-or-folder ...: nothing was run\n", argv[0]);
        return 2;
    }
    printf("replayed %u inputs\n", files);
    return 0;
}
