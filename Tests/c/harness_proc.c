/* What the kernel says about this process, and memory that ends at an unreadable page. */
#include "harness.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>

uint64_t th_resident_bytes(void) {
    unsigned long long total, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%llu %llu", &total, &resident), 2);
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

unsigned th_other_threads(pid_t *ids, unsigned limit) {
    DIR *directory = opendir("/proc/self/task");
    CHECK(directory != NULL);
    pid_t self = gettid();
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        pid_t id = (pid_t)atoi(entry->d_name);
        if (id == 0 || id == self) continue;
        if (count < limit) ids[count] = id;
        count++;
    }
    closedir(directory);
    return count;
}

void th_wait_other_threads(unsigned count) {
    uint64_t until = th_now() + TH_LIMIT;
    unsigned there;
    while ((there = th_other_threads(NULL, 0)) != count) {
        CHECK_MSG(th_now() < until, "%u other threads, expected %u", there, count);
        sched_yield();
    }
}

void th_thread_name(pid_t id, char name[16]) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)id);
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL, "no thread %d", (int)id);
    name[0] = 0;
    CHECK(fgets(name, 16, file) != NULL);
    fclose(file);
    name[strcspn(name, "\n")] = 0;
}

uint64_t th_thread_status(pid_t id, const char *field, int base) {
    char path[64], line[256];
    size_t length = strlen(field);
    snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)id);
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL, "no thread %d", (int)id);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, field, length) == 0 && line[length] == ':') {
            fclose(file);
            return strtoull(line + length + 1, NULL, base);
        }
    }
    th_fail(__FILE__, __LINE__, "no field %s", field);
}

void *th_at_page_end(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t length = (size + page - 1) / page * page;
    char *base = mmap(NULL, length + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(base != MAP_FAILED);
    CHECK_SYS(mprotect(base + length, page, PROT_NONE));
    return base + length - size;
}
