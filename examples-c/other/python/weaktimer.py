"""WeakTimer for Python, over ctypes: timers that do not keep their objects alive.

Python's own weak references take the place of the library's targets: `weak` in the options is two functions, and each
tick turns the reference into an object with the one and lets go of it with the other.

The library is given no Python object at all. A context is a number, the key of an entry in a dictionary, and the
release hook removes the entry. The functions that C calls are made once, at import, and live as long as the module, so
that none of them can be collected while a timer still has its address.
"""
import atexit
import ctypes
import itertools
import os
import weakref
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_int, c_uint32, c_uint64, c_void_p, sizeof

NEVER = 2**64 - 1
REASONS = ("WTM_REASON_NONE", "WTM_REASON_COMPLETED", "WTM_REASON_INVALIDATED", "WTM_REASON_TARGET_GONE", "WTM_REASON_SHUTDOWN")

# CDLL lets go of the interpreter lock during each call and takes it for each callback: a thread that waits for a callback
# does not stop that callback from running.
_library = ctypes.CDLL(os.environ.get("WEAKTIMER_LIBRARY", "libweaktimer.so.0"))


class Handle(Structure):
    """Any of the library's handles: 64 bits by value."""
    _fields_ = [("id", c_uint64)]


class Tick(Structure):
    """wtm_tick"""
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("clock", c_uint32), ("reserved", c_uint32),
                ("scheduled_ns", c_uint64), ("now_ns", c_uint64), ("next_ns", c_uint64), ("target", c_void_p),
                ("ordinal", c_uint64), ("missed", c_uint64)]


_TickFunction = CFUNCTYPE(None, Handle, POINTER(Tick), c_void_p)
_ReleaseFunction = CFUNCTYPE(None, c_void_p)
_EndedFunction = CFUNCTYPE(None, Handle, c_int, c_void_p)
_LockFunction = CFUNCTYPE(c_void_p, c_void_p)


class _WeakOps(Structure):
    _fields_ = [("size", c_uint32), ("reserved", c_uint32), ("lock", _LockFunction), ("unlock", _ReleaseFunction)]


class _TimerOptions(Structure):
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("fn", _TickFunction), ("context", c_void_p),
                ("release", _ReleaseFunction), ("ended", _EndedFunction), ("target", Handle), ("weak", POINTER(_WeakOps)),
                ("executor", Handle), ("clock", c_uint32), ("missed", c_uint32), ("delay_ns", c_uint64),
                ("deadline_ns", c_uint64), ("interval_ns", c_uint64), ("rate_hz_numerator", c_uint32),
                ("rate_hz_denominator", c_uint32), ("tolerance_ns", c_uint64), ("tick_limit", c_uint64), ("name", c_char_p)]


class _SchedulerOptions(Structure):
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("drive", c_uint32), ("log_level", c_uint32), ("name", c_char_p),
                ("max_timers", c_uint64), ("executor", Handle), ("slow_callback_ns", c_uint64),
                ("thread_stack_bytes", c_uint64), ("timer_slack_ns", c_uint64), ("spin_ns", c_uint64)]


def _function(name, result, *arguments):
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_status_name = _function("wtm_status_name", c_char_p, c_int)
_scheduler_create = _function("wtm_scheduler_create", c_int, POINTER(_SchedulerOptions), POINTER(Handle))
_scheduler_shutdown = _function("wtm_scheduler_shutdown", c_int, Handle, c_uint64)
_scheduler_advance = _function("wtm_scheduler_advance", c_int, Handle, c_uint64, POINTER(c_uint64))
_timer_start = _function("wtm_timer_start", c_int, Handle, POINTER(_TimerOptions), POINTER(Handle))
_timer_invalidate_and_wait = _function("wtm_timer_invalidate_and_wait", c_int, Handle, c_uint64)
_timer_is_valid = _function("wtm_timer_is_valid", c_bool, Handle)

# The default scheduler's thread must not call into an interpreter that is being taken down.
atexit.register(lambda: _scheduler_shutdown(Handle(), NEVER))


class Error(Exception):
    """A call failed; `status` is its wtm_status, the text is the status's name."""

    def __init__(self, status):
        super().__init__(_status_name(status).decode())
        self.status = status


def _check(status):
    if status < 0:
        raise Error(status)


class _Entry:
    """What one timer needs: its callable, the weak reference (or None), who hears of its end, and the object of a running tick."""

    def __init__(self, function, reference, ended):
        self.function, self.reference, self.ended, self.object = function, reference, ended, None


_entries = {}
_keys = itertools.count(1)


@_TickFunction
def _on_tick(_timer, tick, key):
    entry = _entries[key]
    if entry.reference is None:
        entry.function(tick.contents)
    else:
        entry.function(entry.object, tick.contents)


@_LockFunction
def _lock(key):
    # Ticks of one timer follow one another, so an entry needs room for one object only.
    entry = _entries[key]
    entry.object = entry.reference()
    return None if entry.object is None else key


@_ReleaseFunction
def _unlock(key):
    _entries[key].object = None


@_EndedFunction
def _on_end(_timer, reason, key):
    if _entries[key].ended is not None:
        _entries[key].ended(REASONS[reason])


@_ReleaseFunction
def _release(key):
    del _entries[key]


_weak_ops = _WeakOps(sizeof(_WeakOps), 0, _lock, _unlock)


def live_entries():
    """How many timers still hold something of Python's."""
    return len(_entries)


class Scheduler:
    """Owns time. `manual` ones stand still but for advance()."""

    def __init__(self, manual=False):
        options = _SchedulerOptions(size=sizeof(_SchedulerOptions), drive=2 if manual else 0)
        self.handle = Handle()
        _check(_scheduler_create(byref(options), byref(self.handle)))

    def advance(self, seconds):
        ran = c_uint64()
        _check(_scheduler_advance(self.handle, _nanoseconds(seconds), byref(ran)))
        return ran.value

    def shutdown(self):
        _check(_scheduler_shutdown(self.handle, NEVER))


class Timer:
    """Calls `function(tick)`, or `function(target, tick)` while `target` is alive. Nothing here keeps the target alive, and whoever
    drops the Timer ends it."""

    def __init__(self, function, *, delay=0.0, interval=None, target=None, ended=None, scheduler=None):
        if interval is not None and not interval > 0:
            raise Error(-1)  # to the C function no interval at all means a one-shot
        key = next(_keys)
        _entries[key] = _Entry(function, None if target is None else weakref.ref(target), ended)
        options = _TimerOptions(size=sizeof(_TimerOptions), fn=_on_tick, context=key, release=_release, ended=_on_end,
                                delay_ns=_nanoseconds(delay), interval_ns=_nanoseconds(interval or 0))
        if target is not None:
            options.weak = ctypes.pointer(_weak_ops)
        self.handle = Handle()
        status = _timer_start(scheduler.handle if scheduler else Handle(), byref(options), byref(self.handle))
        if status < 0:
            del _entries[key]
        _check(status)

    def invalidate(self):
        """Ends the timer and waits for a running callable; from within that callable it does not wait."""
        _timer_invalidate_and_wait(self.handle, NEVER)

    @property
    def valid(self):
        return _timer_is_valid(self.handle)

    def __del__(self):
        if hasattr(self, "handle"):
            self.invalidate()


def _nanoseconds(seconds):
    exact = seconds * 1_000_000_000
    return 0 if exact <= 0 else NEVER if exact >= NEVER else -int(-exact // 1)
