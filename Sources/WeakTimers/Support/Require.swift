/// Stops the program with a message if a caller has made a mistake. Unlike `precondition`, which says nothing in an optimised build.
@inline(__always)
package func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { stop(message()) }
}

/// Stops the program with a message.
package func stop(_ message: String) -> Never {
    fatalError("WeakTimers: \(message)")
}
