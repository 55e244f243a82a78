import Foundation
import Testing
import WeakTimers

/// In a forked child nothing of the parent's is left, and all can be started afresh. A program of its own, since a child has no more than the
/// thread that forked.
struct ForkTests {
    private actor Worker {
        func work() {}
        func workLater() async {}
    }

    // covers: world.fork
    @Test func timersOnActorsStartInAChild() async {
        await #expect(processExitsWith: .success) {
            let worker = Worker()
            let model = Model()
            func start() -> Bool {
                let scheduler = TimerScheduler.manual()
                let timers = [
                    WeakTimer.after(.seconds(1), target: worker, scheduler: scheduler) { worker in worker.work() },
                    WeakTimer.after(.seconds(1), target: worker, scheduler: scheduler) { worker, _ in await worker.workLater() },
                    WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { model in await model.load() },
                    WeakTimer.after(.seconds(1), scheduler: scheduler) { @MainActor in },
                ]
                return timers.allSatisfy { $0.isValid }
            }
            #expect(start())
            let child = fork()
            // Nothing but the exit status: the parent speaks for the test.
            if child == 0 { _exit(start() && start() ? 0 : 1) }
            var status: Int32 = 0
            #expect(waitpid(child, &status, 0) == child)
            #expect(status == 0)
            #expect(start())
        }
    }
}
