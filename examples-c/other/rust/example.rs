//! A model that a timer refreshes without keeping it alive; checks itself, and prints what it saw.
mod ffi;
mod weaktimer;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::time::Duration;

use weaktimer::{Error, Reason, Scheduler, Tick, Timer};

#[derive(Default)]
struct Model {
    refreshed: AtomicU32,
}

impl Model {
    fn refresh(&self, tick: &Tick) {
        self.refreshed.fetch_add(1, Ordering::Relaxed);
        println!("tick {} at {} ms", tick.ordinal(), tick.now().as_millis());
    }
}

fn main() -> Result<(), Error> {
    let scheduler = Scheduler::manual()?;
    let model = Arc::new(Model::default());
    let closure = Arc::new(()); // stands for whatever a closure holds
    let held = Arc::downgrade(&closure);
    let reasons = Arc::new(Mutex::new(Vec::new()));

    let told = Arc::clone(&reasons);
    let timer = Timer::every(
        &scheduler,
        Duration::from_millis(10),
        &model,
        Model::refresh,
        move |reason| {
            let _ = &closure;
            told.lock().unwrap().push(reason);
        },
    )?;
    assert_eq!(scheduler.advance(Duration::from_millis(35))?, 3);
    assert_eq!(model.refreshed.load(Ordering::Relaxed), 3);
    assert!(timer.is_valid() && Arc::strong_count(&model) == 1);

    drop(model);
    println!("the model is gone");
    assert_eq!(scheduler.advance(Duration::from_millis(10))?, 0);
    assert!(!timer.is_valid());
    assert_eq!(*reasons.lock().unwrap(), [Reason::TargetGone]);
    println!("the timer has ended: WTM_REASON_TARGET_GONE");
    assert!(held.upgrade().is_none());
    println!("its closure has been freed");

    match Timer::every(&scheduler, Duration::ZERO, &Arc::new(()), |_, _| (), |_| ()) {
        Err(error) => println!("an interval of zero is refused: {error}"),
        Ok(_) => panic!("an interval of zero is refused"),
    }

    // In real time, on a thread of the scheduler's own.
    let threaded = Scheduler::threaded()?;
    let (sender, passed) = mpsc::channel();
    let object = Arc::new(());
    let once = Timer::after(&threaded, Duration::from_millis(1), &object, move |_, _| {
        sender.send(()).unwrap()
    })?;
    passed
        .recv_timeout(Duration::from_secs(60))
        .expect("the one-shot ticks");
    drop(once);
    println!("a real millisecond has passed");
    Ok(())
}
