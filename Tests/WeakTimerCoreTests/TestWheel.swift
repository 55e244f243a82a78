import XCTest

@testable import WeakTimerCore

/// A wheel of its own, with timers that no scheduler knows.
final class TestWheel {
    let wheel: WheelPointer
    private let memory: UnsafeMutableRawPointer
    private let chunk: UInt32
    private var armings: UInt64 = 0

    init(shift: UInt64 = 0) {
        XCTAssertTrue(WeakTimerCore.Process.prepare())
        memory = .allocate(byteCount: Wheel.bytes, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: Wheel.bytes)
        wheel = .make(in: memory, shift: shift)
        guard case .success(let chunk) = Timers.acquireChunk(for: memory, isGrowing: false) else { preconditionFailure("no chunk of timers") }
        self.chunk = chunk
        for i in 0..<Int(Timers.perChunk) { clear(i) }
    }

    deinit {
        for i in 0..<Int(Timers.perChunk) { clear(i) }
        Timers.giveBack(chunk: chunk)
        memory.deallocate()
    }

    func index(_ i: Int) -> UInt32 { chunk << Timers.shift + UInt32(i) }
    func timer(_ i: Int) -> TimerPointer { Timers.at(index(i)) }
    func number(_ index: UInt32) -> Int { Int(index & (Timers.perChunk - 1)) }

    private func clear(_ i: Int) {
        let timer = timer(i)
        timer.bits &= ~Handle.stateMask
        timer.pointee.context = nil
        timer.pointee.next = 0
        timer.pointee.prev = 0
        timer.pointee.deadline = 0
        timer.pointee.period = 0
        timer.pointee.sequence = 0
    }

    /// Files timer `i`, the next in arming order.
    @discardableResult
    func insert(_ i: Int, at deadline: UInt64, tolerance: UInt64 = 0) -> UInt64 {
        armings += 1
        timer(i).pointee.deadline = deadline
        timer(i).pointee.period = UInt64(ToleranceCode.encode(tolerance)!) << 32
        timer(i).armed = armings
        return wheel.insert(index(i), timer(i))
    }

    func remove(_ i: Int) { wheel.remove(timer(i)) }

    /// Ends timer `i`, which stays linked for a while. Gives those that are out of their lists now.
    func end(_ i: Int) -> [Int] {
        timer(i).pointee.period = UInt64(index(i))
        if !wheel.unlinkLater(timer(i)) { return [] }
        let found = unlink(wheel.fetchNewer())
        wheel.turnDeferred()
        return found
    }

    /// Takes out what was put off.
    func settle() -> [Int] {
        let found = unlink(wheel.pointee.deferredCount)
        wheel.pointee.deferredCount = 0
        return found
    }

    private func unlink(_ count: Int) -> [Int] {
        var found: [Int] = []
        wheel.unlinkDeferred(count) { found.append(number(UInt32($0.pointee.period))) }
        return found
    }

    /// Moves timer `i`, which is armed anew thereby.
    @discardableResult
    func move(_ i: Int, to deadline: UInt64) -> UInt64 {
        armings += 1
        let old = timer(i).pointee.deadline
        timer(i).pointee.deadline = deadline
        timer(i).armed = armings
        return wheel.refile(index(i), timer(i), from: old)
    }

    /// What is due at `now`, in order. With a limit the wheel is asked again until it is done.
    func collect(_ now: UInt64, limit: UInt32 = .max) -> [Int] {
        var ready = TimerList()
        var calls = 0
        while !wheel.collect(now: now, into: &ready, limit: limit) {
            calls += 1
            precondition(calls < 100_000, "the wheel does not come to an end")
        }
        var found: [Int] = []
        while ready.first != 0 {
            let timer = Timers.at(ready.first - 1)
            found.append(number(ready.first - 1))
            XCTAssertEqual(timer.place, Place.ready)
            ready.remove(timer)
            timer.place = Place.none
        }
        return found
    }

    func deadline(_ i: Int) -> UInt64 { timer(i).pointee.deadline }
    func armed(_ i: Int) -> UInt64 { timer(i).armed }

    /// Every slot's bit says whether it has timers, the links lead both ways, and no slot's wake is later than its timers need.
    func checkInvariants(file: StaticString = #filePath, line: UInt = #line) -> Int {
        var count = 0
        for place in 0..<Wheel.rows * Wheel.slots {
            let bucket = wheel.bucket(place).pointee
            let isMarked = wheel.occupied[place >> 6] >> UInt64(place & 63) & 1 == 1
            XCTAssertEqual(isMarked, bucket.first != 0, "the bit of place \(place)", file: file, line: line)
            var link = bucket.first, before: UInt32 = 0
            let sooner = count
            while link != 0 {
                let timer = Timers.at(link - 1)
                XCTAssertEqual(timer.pointee.prev, before, "a link back", file: file, line: line)
                XCTAssertEqual(timer.place, Place.wheel, file: file, line: line)
                XCTAssertEqual(Int(timer.bits & TimerBits.bucketMask), place, file: file, line: line)
                XCTAssertLessThanOrEqual(bucket.earliestWake, timer.wake, file: file, line: line)
                before = link
                link = timer.pointee.next
                count += 1
            }
            if isMarked {
                XCTAssertEqual(bucket.last, before, "the last of place \(place)", file: file, line: line)
                XCTAssertEqual(Int(bucket.count), count - sooner, "the count of place \(place)", file: file, line: line)
            }
        }
        return count
    }
}

/// A small generator with a seed, so that a failure can be had again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
