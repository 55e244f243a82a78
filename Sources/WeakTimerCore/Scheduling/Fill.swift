import CPlatform
import CWeakTimer
import Synchronization

/// The parts of a start that are done under the lock.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Takes a free slot; nil when the scheduler has none at hand.
    @inline(__always)
    func takeFree() -> (UInt32, TimerPointer)? {
        if let timer = pointee.freeSlot {
            let index = timer.pointee.next
            pointee.freeSlot = pointee.secondFreeSlot
            pointee.secondFreeSlot = timer.farFree
            // The next start but one will write there.
            wtmp_prefetch(timer.farFree)
            return (index, timer)
        }
        while pointee.bump != pointee.bumpEnd {
            let index = pointee.bump
            pointee.bump &+= 1
            let timer = Timers.at(index)
            // A page that is read before it is written to costs two faults, and this may be the first touch.
            timer.pointee.prev = 0
            // A chunk that served before may have slots whose generations are used up.
            if timer.bits >> Handle.stateBits < Handle.generationMask { return (index, timer) }
        }
        return nil
    }

    /// Puts a slot at the head of the free list.
    ///
    /// The scheduler knows the first two, and each free slot the one after the next, so that a start has two others' time to fetch a
    /// slot from memory. A free slot keeps its own index in the links.
    @inline(__always)
    func putFree(_ index: UInt32, _ timer: TimerPointer) {
        timer.pointee.next = index
        timer.farFree = pointee.secondFreeSlot
        pointee.secondFreeSlot = pointee.freeSlot
        pointee.freeSlot = timer
    }

    /// Writes a slot, which is current from here on.
    @inline(__always)
    func fill(
        _ index: UInt32, _ timer: TimerPointer, _ spec: TimerSpec, _ record: RecordPointer?,
        _ binding: (index: UInt32, binding: BindingPointer)?
    ) {
        pointee.stats.created &+= 1
        // The arming to come gets this number, too.
        let created = pointee.sequence &+ 1
        var bits =
            UInt64(spec.clock) << TimerBits.clockShift | UInt64(spec.policy) << TimerBits.policyShift | TimerBits.armed
            | Handle.inUse
        if spec.interval != 0 { bits |= TimerBits.repeating }
        if spec.keeps { bits |= TimerBits.keep }
        timer.pointee.fn = spec.fn
        timer.pointee.context = spec.context
        timer.pointee.next = 0
        timer.pointee.prev = 0
        timer.pointee.sequence = 0
        if let binding {
            bits |= TimerBits.bound
            binding.binding.pointee.timer = index
            binding.binding.pointee.release = spec.release
        }
        if let record {
            bits |= TimerBits.full
            timer.pointee.aux = UInt(bitPattern: record)
            timer.pointee.period = spec.interval
            record.pointee.tolerance = spec.effectiveTolerance
            record.pointee.created = created
            record.pointee.binding = binding?.index ?? 0
        } else {
            timer.pointee.aux = binding.map { UInt($0.index) } ?? unsafeBitCast(spec.release, to: UInt.self)
            if spec.clock == 0, SystemClock.isLoose(spec.tolerance) { bits |= TimerBits.loose }
            let code = UInt64(ToleranceCode.encode(spec.tolerance).unsafelyUnwrapped)
            timer.pointee.period = code << 32 | created & 0xffff_ffff
            timer.pointee.sequence = (created >> 32) << 48
        }
        var generation = timer.bits >> Handle.stateBits
        if generation == 0 { generation = 1 }
        // Release pairs with the acquire in `Timers.find`.
        timer.pointee.head.store(generation << Handle.stateBits | bits, ordering: .releasing)
    }

    /// Gives a new timer its first deadline and files it, or keeps it paused.
    @inline(__always)
    func arm(_ index: UInt32, _ timer: TimerPointer, _ spec: TimerSpec) {
        timer.armed = nextSequence()
        if spec.isPaused {
            timer.set(spec.isAbsolute ? TimerBits.paused | TimerBits.pausedAbsolute : TimerBits.paused)
            timer.pointee.deadline = spec.first
            return
        }
        if spec.isAbsolute {
            timer.pointee.deadline = spec.first
        } else {
            let now = pointee.drive == .manual ? now(Int(spec.clock)) : spec.now
            timer.pointee.deadline = now.saturatingAdd(spec.first)
        }
        if let record = timer.record { record.pointee.grid.lay(from: timer.pointee.deadline) }
        file(index, timer)
    }

    static func makeRecords(_ spec: TimerSpec) -> RecordPointer? {
        guard let record = Records.allocate() else { return nil }
        record.pointee.release = spec.release
        record.pointee.ended = spec.ended
        record.pointee.weakLock = spec.weakLock
        record.pointee.weakUnlock = spec.weakUnlock
        record.pointee.executorID = spec.executorID
        record.pointee.executor = Executors.find(spec.executorID)
        record.pointee.limit = spec.limit
        if spec.rate.numerator != 0 {
            record.pointee.grid.numerator = spec.rate.numerator
            record.pointee.grid.denominator = spec.rate.denominator
        }
        let isSimple = spec.executorID == 0 && spec.limit == 0 && spec.rate.numerator == 0
        if isSimple { record.pointee.flags |= RecordFlags.simple }
        if spec.weakLock != nil { record.pointee.flags |= RecordFlags.weak }
        if spec.releasesOnExecutor { record.pointee.flags |= RecordFlags.releaseOnExecutor }
        if let name = spec.name {
            withUnsafeMutableBytes(of: &record.pointee.name) { Names.copy(name, to: $0) }
        }
        if spec.concurrency > 1 {
            record.pointee.flags |= RecordFlags.concurrent
            var more = spec.concurrency &- 1
            while more != 0 {
                guard let spare = Records.allocate() else {
                    freeRecords(record)
                    return nil
                }
                spare.pointee.nextSpare = record.pointee.nextSpare
                record.pointee.nextSpare = spare
                more &-= 1
            }
        }
        return record
    }

    static func freeRecords(_ record: RecordPointer?) {
        var next = record
        while let r = next {
            next = r.pointee.nextSpare
            Records.free(r)
        }
    }
}
