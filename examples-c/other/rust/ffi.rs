//! The part of weaktimer.h that weaktimer.rs uses, by hand.
#![allow(dead_code)]

use std::ffi::{c_char, c_int, c_void};

pub const NEVER: u64 = u64::MAX;
pub const ERR_INVALID: c_int = -1;
pub const DRIVE_THREAD: u32 = 0;
pub const DRIVE_MANUAL: u32 = 2;

/// Any of the library's handles: 64 bits by value, which own nothing.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Handle {
    pub id: u64,
}

#[repr(C)]
pub struct Tick {
    pub size: u32,
    pub flags: u32,
    pub clock: u32,
    pub reserved: u32,
    pub scheduled_ns: u64,
    pub now_ns: u64,
    pub next_ns: u64,
    pub target: *mut c_void,
    pub ordinal: u64,
    pub missed: u64,
}

pub type TickFn = unsafe extern "C" fn(Handle, *const Tick, *mut c_void);
pub type ReleaseFn = unsafe extern "C" fn(*mut c_void);
pub type EndedFn = unsafe extern "C" fn(Handle, c_int, *mut c_void);
pub type LockFn = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

#[repr(C)]
pub struct WeakOps {
    pub size: u32,
    pub reserved: u32,
    pub lock: Option<LockFn>,
    pub unlock: Option<ReleaseFn>,
}

#[repr(C)]
pub struct TimerOptions {
    pub size: u32,
    pub flags: u32,
    pub tick: Option<TickFn>,
    pub context: *mut c_void,
    pub release: Option<ReleaseFn>,
    pub ended: Option<EndedFn>,
    pub target: Handle,
    pub weak: *const WeakOps,
    pub executor: Handle,
    pub clock: u32,
    pub missed: u32,
    pub delay_ns: u64,
    pub deadline_ns: u64,
    pub interval_ns: u64,
    pub rate_hz_numerator: u32,
    pub rate_hz_denominator: u32,
    pub tolerance_ns: u64,
    pub tick_limit: u64,
    pub name: *const c_char,
}

/// As far as `spin_ns`: a smaller size than the library's own is honoured, and what is missing has its default.
#[repr(C)]
pub struct SchedulerOptions {
    pub size: u32,
    pub flags: u32,
    pub drive: u32,
    pub log_level: u32,
    pub name: *const c_char,
    pub max_timers: u64,
    pub executor: Handle,
    pub slow_callback_ns: u64,
    pub thread_stack_bytes: u64,
    pub timer_slack_ns: u64,
    pub spin_ns: u64,
}

extern "C" {
    pub fn wtm_status_name(status: c_int) -> *const c_char;
    pub fn wtm_scheduler_create(options: *const SchedulerOptions, out: *mut Handle) -> c_int;
    pub fn wtm_scheduler_shutdown(scheduler: Handle, timeout_ns: u64) -> c_int;
    pub fn wtm_scheduler_advance(scheduler: Handle, by_ns: u64, out_ran: *mut u64) -> c_int;
    pub fn wtm_timer_start(
        scheduler: Handle,
        options: *const TimerOptions,
        out: *mut Handle,
    ) -> c_int;
    pub fn wtm_timer_invalidate_and_wait(timer: Handle, timeout_ns: u64) -> c_int;
    pub fn wtm_timer_is_valid(timer: Handle) -> bool;
}
