import CPlatform
import CWeakTimer
import Synchronization

/// How many lines a scheduler has logged in the second under way.
struct LogState {
    var second: UInt64 = 0
    var lines: UInt64 = 0
    var suppressed: UInt64 = 0
}

/// The text of a log line, in memory of its own size; what does not fit is left out.
struct LogText {
    private var bytes: UnsafeMutableRawBufferPointer
    private var length = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
        self.bytes[0] = 0
    }

    @inline(never)
    mutating func add(_ text: StaticString) {
        var i = 0
        while i < text.utf8CodeUnitCount {
            put(text.utf8Start[i])
            i &+= 1
        }
    }

    @inline(never)
    mutating func add(name: TimerName) {
        var name = name
        if name.0 & 0xff == 0 {
            add("(unnamed)")
            return
        }
        put(0x27)
        withUnsafeBytes(of: &name) {
            var i = 0
            while i < 48, $0[i] != 0 {
                // A name is bytes; a line is one line.
                put($0[i] < 0x20 ? 0x3f : $0[i])
                i &+= 1
            }
        }
        put(0x27)
    }

    @inline(never)
    mutating func add(_ number: UInt64) {
        var divisor: UInt64 = 1
        while number / divisor >= 10 { divisor &*= 10 }
        while divisor != 0 {
            put(UInt8(truncatingIfNeeded: 0x30 &+ number / divisor % 10))
            divisor /= 10
        }
    }

    private mutating func put(_ byte: UInt8) {
        if length &+ 1 >= bytes.count { return }
        bytes[length] = byte
        length &+= 1
        bytes[length] = 0
    }

    var cString: UnsafePointer<CChar> {
        UnsafePointer(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
    }
}

/// What there is to tell. Composed once it is known that somebody listens.
private enum LogLine {
    case targetDeath(TimerName)
    case slowCallback(TimerName, UInt64, stillRuns: Bool)
    case refused(TimerName)
    case clockJump(Int64)

    func compose(_ text: inout LogText) {
        switch self {
        case .targetDeath(let name):
            text.add("timer ")
            text.add(name: name)
            text.add(" ended: its target is gone")
        case .slowCallback(let name, let took, let stillRuns):
            text.add("slow callback: timer ")
            text.add(name: name)
            text.add(stillRuns ? " has been running for " : " took ")
            text.add(took)
            text.add(" ns")
        case .refused(let name):
            text.add("executor refused a tick of timer ")
            text.add(name: name)
        case .clockJump(let delta):
            text.add("wall clock stepped by ")
            if delta < 0 { text.add("-") }
            text.add(delta.magnitude)
            text.add(" ns")
        }
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    private static var linesPerSecond: UInt64 { 100 }

    func logTargetDeath(_ name: TimerName) { log(WTM_LOG_INFO, .targetDeath(name)) }

    func logSlowCallback(_ name: TimerName, _ took: UInt64, stillRuns: Bool) {
        log(WTM_LOG_WARNING, .slowCallback(name, took, stillRuns: stillRuns))
    }

    func logRefused(_ name: TimerName) { log(WTM_LOG_WARNING, .refused(name)) }

    func logClockJump(_ delta: Int64) { log(WTM_LOG_INFO, .clockJump(delta)) }

    /// Gives a line to the sink, unless there is none, the level is below what it asked for, the sink itself is the cause, or there
    /// were too many this second. No lock is held.
    @inline(never)
    private func log(_ level: wtm_log_level, _ line: LogLine) {
        guard let sink = pointee.hooks.log, level.rawValue >= pointee.hooks.logLevel else { return }
        let thread = CurrentThread.record()
        if thread?.pointee.inLogSink == true { return }
        guard let suppressed = admitLine() else { return }
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { bytes in
            var text = LogText(bytes)
            line.compose(&text)
            if suppressed != 0 {
                text.add(" (")
                text.add(suppressed)
                text.add(" lines before this one were suppressed)")
            }
            thread?.pointee.inLogSink = true
            let epoch = Process.epoch
            _ = callHook { sink($0, level, text.cString) }
            if Process.epoch == epoch { thread?.pointee.inLogSink = false }
        }
    }

    /// Counts a line. How many were suppressed before it, or nil when it is one too many.
    private func admitLine() -> UInt64? {
        let second = SystemClock.monotonic() / 1_000_000_000
        pointee.lock.lock()
        defer { pointee.lock.unlock() }
        if pointee.log.second != second {
            pointee.log.second = second
            pointee.log.lines = 0
        }
        pointee.log.lines &+= 1
        if pointee.log.lines > Self.linesPerSecond {
            pointee.log.suppressed &+= 1
            return nil
        }
        let suppressed = pointee.log.suppressed
        pointee.log.suppressed = 0
        return suppressed
    }
}
