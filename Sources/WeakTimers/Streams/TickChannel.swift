internal import CWeakTimer

/// Where a timer leaves its ticks and a task fetches them.
final class TickChannel: Sendable {
    private struct State {
        /// From `head` on; what was fetched before it is cleared away now and then, so that a long queue costs a constant for each tick.
        private var waiting: [Tick] = []
        private var head = 0
        var consumer: UnsafeContinuation<Tick?, Never>?
        var hasEnded = false

        /// Of the grid's ticks one waits, or all of them (`burst`). What was fired is none of the grid's, and waits for itself.
        mutating func keep(_ tick: Tick, _ missed: MissedTicks) {
            guard missed != .burst, !tick.isFired, let index = waiting[head...].lastIndex(where: { !$0.isFired }) else {
                waiting.append(tick)
                return
            }
            let earlier = waiting.remove(at: index)
            waiting.append(missed == .coalesce ? Tick(tick, standingFor: earlier) : tick)
        }

        /// What there is to say without waiting: a tick, the end (nil), or nothing.
        mutating func take() -> Tick?? {
            if head == waiting.count { return hasEnded ? .some(nil) : nil }
            let tick = waiting[head]
            head += 1
            if head == waiting.count {
                clear()
            } else if head >= 32, head >= waiting.count / 2 {
                waiting.removeFirst(head)
                head = 0
            }
            return tick
        }

        mutating func clear() {
            waiting = []
            head = 0
        }
    }

    private let missed: MissedTicks
    private let state = Locked(State())

    init(missed: MissedTicks) { self.missed = missed }

    func send(_ tick: Tick) {
        let consumer = state.withLock { state -> UnsafeContinuation<Tick?, Never>? in
            if let consumer = state.consumer {
                state.consumer = nil
                return consumer
            }
            state.keep(tick, missed)
            return nil
        }
        consumer?.resume(returning: tick)
    }

    /// What waits is still delivered.
    func end() {
        let consumer = state.withLock { state in
            defer { state.consumer = nil }
            state.hasEnded = true
            return state.consumer
        }
        consumer?.resume(returning: nil)
    }

    /// For a consumer who is cancelled: what waits is of no use any more.
    func cancel() {
        state.withLock { $0.clear() }
        end()
    }

    /// The next tick or the end, if that is known already.
    func takeWaiting() -> Tick?? { state.withLock { $0.take() } }

    /// One consumer at a time. A second one ends the first one's wait.
    func receive(_ consumer: UnsafeContinuation<Tick?, Never>) {
        enum Answer {
            case now(Tick?)
            case later(replacing: UnsafeContinuation<Tick?, Never>?)
        }
        let answer = state.withLock { state -> Answer in
            if let known = state.take() { return .now(known) }
            defer { state.consumer = consumer }
            return .later(replacing: state.consumer)
        }
        switch answer {
        case .now(let tick): consumer.resume(returning: tick)
        case .later(let former): former?.resume(returning: nil)
        }
    }
}

/// The consumer's side: ends the timer when nobody can fetch its ticks any more.
final class TickLease: Sendable {
    private let channel: TickChannel
    private let timer: WeakTimer
    private let isClaimed = Locked(false)

    /// - Parameter box: The timer's body, which sends to the channel; nil if there is nobody to tick for.
    init(_ options: WeakTimer.Options, on scheduler: wtm_scheduler, isWeak: Bool, box: (TickChannel) -> TimerBox?) {
        let channel = TickChannel(missed: options.missed)
        self.channel = channel
        var options = options
        options.onEnd = { _, _ in channel.end() }
        guard let box = box(channel),
            let timer = try? Launch.start(options, on: .inline, scheduler: scheduler, box, isWeak: isWeak)
        else {
            timer = .none
            channel.end()
            return
        }
        self.timer = timer
    }

    deinit { timer.invalidate() }

    /// True for the first caller.
    func claim() -> Bool {
        isClaimed.withLock { isClaimed in
            defer { isClaimed = true }
            return !isClaimed
        }
    }

    /// What is there already is taken at once: the caller's actor is given up only to wait.
    func next(isolation: isolated (any Actor)?) async -> Tick? {
        if Task.isCancelled { cancel() }
        if let known = channel.takeWaiting() { return known }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation(isolation: isolation) { channel.receive($0) }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        channel.cancel()
        timer.invalidate()
    }
}
