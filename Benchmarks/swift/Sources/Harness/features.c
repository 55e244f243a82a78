/* The driver's constants, which Swift cannot define for C. */
#include "harness/peer.h"

const char *const peer_name = "swift";
const unsigned peer_features = PEER_OWN_THREAD | PEER_THREAD_SAFE | PEER_MOVES | PEER_TOLERANCE;
const size_t peer_largest_n = 1000000;
