//! WeakTimer for Rust: timers that do not keep their objects alive.
//!
//! Rust's own `Weak` takes the place of the library's targets: `weak` in the options is two functions, and each tick upgrades the
//! reference with the one and drops the `Arc` with the other. Neither allocates. The closure and the `Weak` share one box, which the
//! release hook drops. A panic must not cross the library: the functions that C calls are `extern "C"`, which aborts instead.

use std::ffi::{c_int, c_void, CStr};
use std::fmt;
use std::mem::size_of;
use std::ptr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::ffi::{self, Handle};

/// A call failed: a negative `wtm_status`.
#[derive(Debug, PartialEq, Eq)]
pub struct Error(pub c_int);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // SAFETY: the library answers a string that lives for ever, for every number.
        f.write_str(
            unsafe { CStr::from_ptr(ffi::wtm_status_name(self.0)) }
                .to_str()
                .unwrap_or("?"),
        )
    }
}

impl std::error::Error for Error {}

fn check(status: c_int) -> Result<(), Error> {
    if status < 0 {
        Err(Error(status))
    } else {
        Ok(())
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(ffi::NEVER)
}

/// Why a timer ended: `wtm_reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    None,
    Completed,
    Invalidated,
    TargetGone,
    Shutdown,
}

impl Reason {
    fn from(raw: c_int) -> Reason {
        match raw {
            1 => Reason::Completed,
            2 => Reason::Invalidated,
            3 => Reason::TargetGone,
            4 => Reason::Shutdown,
            _ => Reason::None,
        }
    }
}

/// One tick, for as long as the closure runs.
pub struct Tick<'a>(&'a ffi::Tick);

impl Tick<'_> {
    pub fn ordinal(&self) -> u64 {
        self.0.ordinal
    }
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.0.now_ns)
    }
}

/// Owns time. Dropping it ends all of its timers.
pub struct Scheduler(Handle);

impl Scheduler {
    /// Under manual time: it stands still but for `advance`.
    pub fn manual() -> Result<Scheduler, Error> {
        Scheduler::create(ffi::DRIVE_MANUAL)
    }

    /// With a thread of its own.
    pub fn threaded() -> Result<Scheduler, Error> {
        Scheduler::create(ffi::DRIVE_THREAD)
    }

    fn create(drive: u32) -> Result<Scheduler, Error> {
        // SAFETY: plain data, of which all zero is the default.
        let mut options: ffi::SchedulerOptions = unsafe { std::mem::zeroed() };
        options.size = size_of::<ffi::SchedulerOptions>() as u32;
        options.drive = drive;
        let mut handle = Handle::default();
        // SAFETY: both pointers are good for the call.
        check(unsafe { ffi::wtm_scheduler_create(&options, &mut handle) })?;
        Ok(Scheduler(handle))
    }

    /// Moves manual time on, and answers how many ticks ran on the way.
    pub fn advance(&self, by: Duration) -> Result<u64, Error> {
        let mut ran = 0;
        // SAFETY: the pointer is good for the call.
        check(unsafe { ffi::wtm_scheduler_advance(self.0, nanoseconds(by), &mut ran) })?;
        Ok(ran)
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        // SAFETY: any handle may be passed.
        unsafe { ffi::wtm_scheduler_shutdown(self.0, ffi::NEVER) };
    }
}

/// Owns a timer. Dropping it ends the timer and waits for a closure that is running, except from within that closure.
pub struct Timer(Handle);

struct Context<T, F, E> {
    object: Weak<T>,
    tick: F,
    ended: E,
}

impl Timer {
    /// Calls `tick` for the object at every interval, until the Timer or the object goes; `ended` is told which.
    pub fn every<T, F, E>(
        scheduler: &Scheduler,
        interval: Duration,
        object: &Arc<T>,
        tick: F,
        ended: E,
    ) -> Result<Timer, Error>
    where
        T: Send + Sync + 'static,
        F: FnMut(&T, &Tick) + Send + 'static,
        E: FnMut(Reason) + Send + 'static,
    {
        // To the C function no interval at all means a one-shot.
        if interval.is_zero() {
            return Err(Error(ffi::ERR_INVALID));
        }
        Timer::start(
            scheduler,
            Duration::ZERO,
            interval,
            Arc::downgrade(object),
            tick,
            ended,
        )
    }

    /// Calls `tick` for the object once, if it is still there.
    pub fn after<T, F>(
        scheduler: &Scheduler,
        delay: Duration,
        object: &Arc<T>,
        tick: F,
    ) -> Result<Timer, Error>
    where
        T: Send + Sync + 'static,
        F: FnMut(&T, &Tick) + Send + 'static,
    {
        Timer::start(
            scheduler,
            delay,
            Duration::ZERO,
            Arc::downgrade(object),
            tick,
            |_| (),
        )
    }

    fn start<T, F, E>(
        s: &Scheduler,
        delay: Duration,
        interval: Duration,
        object: Weak<T>,
        tick: F,
        ended: E,
    ) -> Result<Timer, Error>
    where
        F: FnMut(&T, &Tick),
        E: FnMut(Reason),
    {
        let weak = ffi::WeakOps {
            size: size_of::<ffi::WeakOps>() as u32,
            reserved: 0,
            lock: Some(lock::<T, F, E>),
            unlock: Some(unlock::<T>),
        };
        let context = Box::into_raw(Box::new(Context {
            object,
            tick,
            ended,
        }));
        // SAFETY: plain data, of which all zero is the default.
        let mut options: ffi::TimerOptions = unsafe { std::mem::zeroed() };
        options.size = size_of::<ffi::TimerOptions>() as u32;
        options.tick = Some(on_tick::<T, F, E>);
        options.context = context.cast();
        options.release = Some(release::<T, F, E>);
        options.ended = Some(on_end::<T, F, E>);
        options.weak = &weak;
        options.delay_ns = nanoseconds(delay);
        options.interval_ns = nanoseconds(interval);
        let mut handle = Handle::default();
        // SAFETY: the pointers are good for the call, and the library copies what they show.
        let started = check(unsafe { ffi::wtm_timer_start(s.0, &options, &mut handle) });
        if started.is_err() {
            // SAFETY: a start that fails has taken nothing.
            drop(unsafe { Box::from_raw(context) });
        }
        started.map(|()| Timer(handle))
    }

    pub fn is_valid(&self) -> bool {
        // SAFETY: any handle may be passed.
        unsafe { ffi::wtm_timer_is_valid(self.0) }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: any handle may be passed.
        unsafe { ffi::wtm_timer_invalidate_and_wait(self.0, ffi::NEVER) };
    }
}

// SAFETY of all of these: `context` is the box that `start` made, until `release` has run; the library runs nothing of one timer
// at the same time, and `release` last.

unsafe extern "C" fn lock<T, F, E>(context: *mut c_void) -> *mut c_void {
    let context = context.cast::<Context<T, F, E>>();
    match (*context).object.upgrade() {
        Some(strong) => Arc::into_raw(strong).cast_mut().cast(),
        None => ptr::null_mut(),
    }
}

unsafe extern "C" fn unlock<T>(strong: *mut c_void) {
    drop(Arc::from_raw(strong.cast::<T>().cast_const()));
}

unsafe extern "C" fn on_tick<T, F: FnMut(&T, &Tick), E>(
    _: Handle,
    tick: *const ffi::Tick,
    context: *mut c_void,
) {
    let context = context.cast::<Context<T, F, E>>();
    ((*context).tick)(&*(*tick).target.cast::<T>(), &Tick(&*tick));
}

unsafe extern "C" fn on_end<T, F, E: FnMut(Reason)>(
    _: Handle,
    reason: c_int,
    context: *mut c_void,
) {
    ((*context.cast::<Context<T, F, E>>()).ended)(Reason::from(reason));
}

unsafe extern "C" fn release<T, F, E>(context: *mut c_void) {
    drop(Box::from_raw(context.cast::<Context<T, F, E>>()));
}
