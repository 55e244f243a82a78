/* Reads the fuzzer's bytes. */
#include "fuzz.h"

fz_input fz_in;
bool fz_tracing;

bool fz_more(void) { return fz_in.at < fz_in.end; }

uint8_t fz_u8(void) { return fz_more() ? *fz_in.at++ : 0; }

uint32_t fz_u32(void) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value |= (uint32_t)fz_u8() << (8 * i);
    return value;
}

uint64_t fz_u64(void) {
    uint64_t low = fz_u32();
    return low | (uint64_t)fz_u32() << 32;
}

uint64_t fz_time(void) {
    uint8_t kind = fz_u8();
    switch (kind % 12) {
    case 0: return 0;
    case 1: return 1;
    case 2: return fz_u8();
    case 3: return fz_u8() * UINT64_C(1000);
    case 4: return fz_u8() * UINT64_C(1000000);
    case 5: return 10 * UINT64_C(1000000);
    case 6: return fz_u8() * UINT64_C(1000000000);
    case 7: return fz_u8() * UINT64_C(3600) * UINT64_C(1000000000);
    case 8: return UINT64_C(1) << (fz_u8() % 64);
    case 9: return WTM_NEVER - fz_u8();
    case 10: return (uint64_t)INT64_MAX + fz_u8() - 128;
    default: return fz_u64();
    }
}
