internal import CWeakTimer

/// A body that may suspend. Its first part runs inside the engine's callback, on its actor, up to the first suspension; from then on
/// this box keeps the engine's word: bodies of one timer do not overlap, and none starts after the timer was stopped.
class AsyncBox<Target: AnyObject>: WeakBox, @unchecked Sendable {
    private struct State {
        var isBusy = false
        var isStopped = false
        var waiting: [Tick] = []
    }

    private let missed: MissedTicks
    /// Made by the first tick, so that a start does without, as does a time-out that never comes. Nobody reads while it is written: ticks of
    /// one timer come one after the other, its end comes after the last, and the tasks that read are begun by ticks.
    private var state: Locked<State>?

    init(_ target: Target, missed: MissedTicks) {
        self.missed = missed
        super.init(target: target)
    }

    /// The actor that the body is isolated to. The executor has brought the tick onto it.
    func home(_ target: Target) -> (any Actor)? { nil }

    /// Calls the body, without a change of executor on the way.
    func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {}

    final override var needsEnd: Bool { true }

    final override func ended(_ timer: WeakTimer, _ reason: EndReason) {
        if reason != .completed {
            state?.withLock {
                $0.isStopped = true
                $0.waiting = []
            }
        }
        super.ended(timer, reason)
    }

    final override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        let target = lockedTarget(of: tick, as: Target.self)
        let tick = Tick(timer, tick)
        let state = state ?? makeState()
        let isFree = state.withLock { state in
            if state.isBusy { enqueue(tick, in: &state) }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if isFree { target._withUnsafeGuaranteedRef { begin(tick, on: home($0)) } }
    }

    private func makeState() -> Locked<State> {
        let made = Locked(State())
        state = made
        return made
    }

    private func enqueue(_ tick: Tick, in state: inout State) {
        guard missed != .burst, let last = state.waiting.last else {
            state.waiting.append(tick)
            return
        }
        state.waiting = [missed == .coalesce ? Tick(tick, standingFor: last) : tick]
    }

    private func begin(_ tick: Tick, on home: (any Actor)?) {
        if let home {
            begin(tick, isolatedTo: home)
        } else {
            Task { await self.run(from: tick, on: nil) }
        }
    }

    private func begin<Home: Actor>(_ tick: Tick, isolatedTo home: Home) {
        home.assumeIsolated { home in
            _ = Task.immediate {
                _ = home
                await self.run(from: tick, on: home)
            }
        }
    }

    /// One busy period: the tick, and those that came meanwhile. Between two bodies nothing holds the target.
    private func run(from first: Tick, on home: isolated (any Actor)?) async {
        var next: Tick? = first
        while let tick = next {
            if let target { await invoke(unsafeDowncast(target, to: Target.self), tick, on: home) }
            next = takeWaiting()
        }
    }

    private func takeWaiting() -> Tick? {
        state?.withLock { state in
            if state.isStopped || state.waiting.isEmpty {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
