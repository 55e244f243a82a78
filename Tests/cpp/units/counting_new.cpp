// The program's operator new, counted: in a unit of its own, so that the compiler does not look through it.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

extern std::atomic<long> allocations;
extern std::atomic<long> blocks;

std::atomic<long> allocations{ 0 }; // ever made
std::atomic<long> blocks{ 0 };      // there now

void *operator new(std::size_t size) {
    void *const block = std::malloc(size);
    if (block == nullptr) throw std::bad_alloc();
    allocations++;
    blocks++;
    return block;
}

void operator delete(void *block) noexcept {
    if (block != nullptr) blocks--;
    std::free(block);
}

void operator delete(void *block, std::size_t) noexcept { operator delete(block); }
