import Glibc
import Synchronization
import WeakTimers

/// Counts the objects that are allocated: instances of classes, contexts of closures, boxes. The runtime keeps its allocator behind a
/// function pointer, for tools such as this one, and goes through it while a flag is set.
private struct AllocationCounter {
    typealias Allocator = @convention(c) (UnsafeMutableRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

    // The program has one thread.
    nonisolated(unsafe) static var count = 0
    nonisolated(unsafe) static var original: Allocator?

    private let slot: UnsafeMutablePointer<Allocator>
    private let flag: UnsafeMutablePointer<Bool>

    init?() {
        // Nil names the program itself with everything that it has loaded.
        let program = dlopen(nil, RTLD_NOW)
        guard let slot = dlsym(program, "_swift_allocObject"),
            let flag = dlsym(program, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly")
        else { return nil }
        self.slot = slot.assumingMemoryBound(to: Allocator.self)
        self.flag = flag.assumingMemoryBound(to: Bool.self)
        Self.original = self.slot.pointee
    }

    func count(_ body: () -> Void) -> Int {
        Self.count = 0
        slot.pointee = { metadata, size, alignment in
            AllocationCounter.count += 1
            return AllocationCounter.original?(metadata, size, alignment)
        }
        flag.pointee = true
        body()
        flag.pointee = false
        slot.pointee = Self.original!
        return Self.count
    }
}

/// An actor whose jobs run at once, on the thread that enqueues them. Only for a program with one thread.
actor Place {
    private let jobs = RunsAtOnce()
    private(set) var steps = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { jobs.asUnownedSerialExecutor() }

    func step() { steps += 1 }
    func stepLater() async { steps += 1 }
}

final class RunsAtOnce: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
}

@MainActor final class View {
    private var steps = 0
    func step() { steps += 1 }
    func stepLater() async { steps += 1 }
}

/// Something to capture, which the optimiser does not find to be without effect: two references, since a closure that captures a single one
/// needs no context of its own.
struct Captured: Sendable {
    private let one = Steps(), other = Steps()
    func step() {
        one.count.wrappingAdd(1, ordering: .relaxed)
        other.count.wrappingAdd(1, ordering: .relaxed)
    }
}

final class Steps: Sendable {
    let count = Atomic(0)
}

/// What a start allocates when all that is made at a first use is there. A closure that captures something has a context of its own, which
/// is one of the two.
nonisolated func countAllocations() -> Bool {
    let manual = TimerScheduler.manual()
    let target = Target()
    let captured = Captured()
    let place = Place()
    let view = MainActor.assumeIsolated { View() }
    let hour = Duration.seconds(3600)
    var isGood = true

    guard let counter = AllocationCounter() else {
        print("allocations of a start: this runtime's cannot be counted")
        return true
    }
    func count(_ what: String, _ start: () -> WeakTimer) {
        start().invalidate()
        let each = Double(counter.count { for _ in 0..<1000 { start().invalidate() } }) / 1000
        print("allocations of a start, \(what): \(each) (at most 2)\(each > 2 ? " EXCEEDED" : "")")
        if each > 2 { isGood = false }
    }
    count("object") { WeakTimer.after(hour, target: target, scheduler: manual) { _ in captured.step() } }
    count("object's method") { WeakTimer.after(hour, target: target, scheduler: manual, action: Target.step) }
    count("closure") { WeakTimer.after(hour, scheduler: manual) { captured.step() } }
    count("actor") {
        WeakTimer.after(hour, target: place, scheduler: manual) { place in
            captured.step()
            place.step()
        }
    }
    count("actor, with the tick") {
        WeakTimer.every(hour, target: place, scheduler: manual) { place, _ in
            captured.step()
            place.step()
        }
    }
    count("actor, async") {
        WeakTimer.after(hour, target: place, scheduler: manual) { place in
            captured.step()
            await place.stepLater()
        }
    }
    count("actor, async method") { WeakTimer.every(hour, target: place, scheduler: manual, action: Place.stepLater) }
    count("main actor") {
        WeakTimer.after(hour, target: view, scheduler: manual) { @MainActor view in
            captured.step()
            view.step()
        }
    }
    count("main actor, async") {
        WeakTimer.after(hour, target: view, scheduler: manual) { @MainActor view in
            captured.step()
            await view.stepLater()
        }
    }
    count("main actor's method") { WeakTimer.every(hour, target: view, scheduler: manual, action: View.step) }
    return isGood
}
