/* How hard the fault tests may push: sanitizers make processes and memory dear. */
#ifndef TESTS_FAULTS_FAULTS_H
#define TESTS_FAULTS_FAULTS_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TH_SANITIZED 1
#endif
#endif
#ifdef TH_SANITIZED
#define TH_PROCESSES 60 /* of each kind */
#define TH_GROWTH 64    /* a sanitizer's own records grow for a while */
#else
#define TH_PROCESSES 1000
#define TH_GROWTH 1
#endif

#endif
