/// A stable natural merge sort of a singly linked list of timers, by deadline and then arming order. Needs no memory.
///
/// Bottom-up, as in Knuth, volume 3, 5.2.4: bin i holds 2^i merged runs. Timers that were started or repeat in order are one run,
/// forwards or backwards, which costs a comparison each.
enum ListSort {
    private typealias Bins = (
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32
    )

    /// Whether `a` goes before `b` or is level with it.
    @inline(__always)
    static func inOrder(_ a: TimerPointer, _ b: TimerPointer) -> Bool {
        let x = a.pointee.deadline, y = b.pointee.deadline
        return x != y ? x < y : a.armed <= b.armed
    }

    static func sort(_ list: UInt32) -> UInt32 {
        if list == 0 { return 0 }
        let timers = Timers.access
        var rest = list
        let run = takeRun(&rest, timers)
        return rest == 0 ? run : mergeRuns(run, rest, timers)
    }

    /// Cuts the list after as many timers as are in order, or in the opposite order, which is turned round.
    @inline(__always)
    private static func takeRun(_ rest: inout UInt32, _ timers: Timers.Access) -> UInt32 {
        let first = rest
        var last = timers.at(first &- 1)
        var next = last.pointee.next
        rest = next
        if next == 0 { return first }
        var timer = timers.at(next &- 1)
        if inOrder(last, timer) {
            repeat {
                last = timer
                next = timer.pointee.next
                if next == 0 { break }
                timer = timers.at(next &- 1)
            } while inOrder(last, timer)
            last.pointee.next = 0
            rest = next
            return first
        }
        last.pointee.next = 0
        var run = first
        repeat {
            let after = timer.pointee.next
            timer.pointee.next = run
            run = next
            last = timer
            next = after
            if next == 0 { break }
            timer = timers.at(next &- 1)
        } while !inOrder(last, timer)
        rest = next
        return run
    }

    private static func mergeRuns(_ first: UInt32, _ list: UInt32, _ timers: Timers.Access) -> UInt32 {
        var bins: Bins = (
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
        )
        return withUnsafeMutableBytes(of: &bins) { raw in
            let bin = raw.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt32.self)
            bin[0] = first
            var rest = list
            while rest != 0 {
                var run = takeRun(&rest, timers)
                var i = 0
                // Indices have 28 bits, so the last of the 30 bins is never full.
                while bin[i] != 0 {
                    run = merge(bin[i], run, timers)
                    bin[i] = 0
                    i &+= 1
                }
                bin[i] = run
            }
            var result: UInt32 = 0
            var i = 0
            while i < 30 {
                if bin[i] != 0 { result = result == 0 ? bin[i] : merge(bin[i], result, timers) }
                i &+= 1
            }
            return result
        }
    }

    /// `a` was earlier in the list, so it goes first where the two are level.
    private static func merge(_ a: UInt32, _ b: UInt32, _ timers: Timers.Access) -> UInt32 {
        var a = a, b = b
        var first: UInt32 = 0
        var tail: TimerPointer? = nil
        while a != 0, b != 0 {
            let x = timers.at(a &- 1), y = timers.at(b &- 1)
            let taken: TimerPointer, link: UInt32
            if inOrder(x, y) {
                taken = x
                link = a
                a = x.pointee.next
            } else {
                taken = y
                link = b
                b = y.pointee.next
            }
            if let tail { tail.pointee.next = link } else { first = link }
            tail = taken
        }
        let rest = a != 0 ? a : b
        if let tail { tail.pointee.next = rest } else { first = rest }
        return first
    }
}
