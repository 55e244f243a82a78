internal import CWeakTimer

/// Tells of each start of another box's body, and asks whether it is to run.
final class HeraldBox: WeakBox, @unchecked Sendable {
    private let box: TimerBox
    private let herald: @Sendable (Tick) -> Bool

    init(_ box: TimerBox, _ herald: @escaping @Sendable (Tick) -> Bool) {
        self.box = box
        self.herald = herald
        super.init(target: (box as? WeakBox)?.target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        if herald(Tick(timer, tick)) { box.tick(timer, tick) }
    }
}
