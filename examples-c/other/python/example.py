"""A model that a timer refreshes without keeping it alive; checks itself, and prints what it saw."""
import gc
import sys
import threading

import weaktimer


class Model:
    def __init__(self):
        self.refreshed = 0

    def refresh(self, tick):
        self.refreshed += 1
        print(f"tick {tick.ordinal} at {tick.now_ns // 1_000_000} ms")


def require(condition, what):
    if not condition:
        sys.exit(f"example.py: not so: {what}")


scheduler = weaktimer.Scheduler(manual=True)
model = Model()
reasons = []
# An unbound method: a bound one would hold the model.
timer = weaktimer.Timer(Model.refresh, interval=0.010, target=model, ended=reasons.append, scheduler=scheduler)
require(scheduler.advance(0.035) == 3, "three ticks in 35 milliseconds")
require(model.refreshed == 3 and timer.valid, "the model was refreshed three times")

del model
gc.collect()
print("the model is gone")
require(scheduler.advance(0.010) == 0 and not timer.valid, "the timer ended with its object")
print(f"the timer has ended: {reasons[0]}")
require(reasons == ["WTM_REASON_TARGET_GONE"], "the end was told once")
require(weaktimer.live_entries() == 0, "nothing is held for it any more")
print("its closure has been freed")

try:
    weaktimer.Timer(print, interval=0.0, scheduler=scheduler)
    require(False, "an interval of zero is refused")
except weaktimer.Error as error:
    print(f"an interval of zero is refused: {error}")
scheduler.shutdown()

# The default scheduler, in real time, on a thread of its own.
passed = threading.Event()
once = weaktimer.Timer(lambda tick: passed.set(), delay=0.001)
require(passed.wait(60), "the one-shot ticks")
once.invalidate()
require(weaktimer.live_entries() == 0, "nothing is held for it any more")
print("a real millisecond has passed")
