extension WeakTimer {
    /// Puts a new timer into a variable that stands for "the" timer, and ends the old one first.
    ///
    ///     WeakTimer.replace(&refresh) { .every(interval, target: self, action: Model.refresh) }
    ///
    /// To overwrite the variable would not do: a `WeakTimer` keeps nothing alive, so nothing ends with it, and the old timer would go on for as
    /// long as its target lives. As ``invalidate()`` does, this never waits for a last callback of the old timer. It may be called from a callback, also of that timer.
    ///
    /// Two threads that replace one variable need a lock of their own, as for any variable.
    ///
    /// - Parameters:
    ///   - timer: Nil, or a timer that may have ended long ago. It is nil while `start` runs, and after an error.
    ///   - start: Starts the new timer. It must not use the variable itself.
    /// - Returns: The new timer.
    /// - Throws: What `start` throws; the old timer has ended then, too.
    @discardableResult
    public static func replace<Failure: Error>(_ timer: inout WeakTimer?, with start: () throws(Failure) -> WeakTimer) throws(Failure) -> WeakTimer {
        timer?.invalidate()
        timer = nil
        let new = try start()
        timer = new
        return new
    }

    /// The same for a variable that is ``none`` while no timer is in it.
    @discardableResult
    public static func replace<Failure: Error>(_ timer: inout WeakTimer, with start: () throws(Failure) -> WeakTimer) throws(Failure) -> WeakTimer {
        timer.invalidate()
        timer = .none
        timer = try start()
        return timer
    }
}
