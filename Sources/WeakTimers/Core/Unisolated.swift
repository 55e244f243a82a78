// A body that may be isolated to an actor is called directly, since an executor has brought the tick onto that actor by then. The compiler
// cannot know that; these functions say so. An `@isolated(any)` function differs from a plain one in the type alone. The structs keep the
// cast from going through the generic form of a function type, which would cost two allocations a timer.

func unisolated<Target: AnyObject>(
    _ body: @escaping @isolated(any) (Target, Tick) -> Void
) -> (Target, Tick) -> Void {
    unsafeBitCast(IsolatedTickBody(body: body), to: TickBody<Target>.self).body
}

package func unisolated<Target: AnyObject>(_ body: @escaping @isolated(any) (Target) -> Void) -> (Target) -> Void {
    unsafeBitCast(IsolatedBody(body: body), to: Body<Target>.self).body
}

func unisolated<Target: AnyObject>(
    _ body: @escaping @isolated(any) (Target, FrameTimer) -> Void
) -> (Target, FrameTimer) -> Void {
    unsafeBitCast(IsolatedFrameBody(body: body), to: FrameBody<Target>.self).body
}

func unisolated(_ body: @escaping @isolated(any) (Tick) -> Void) -> (Tick) -> Void {
    unsafeBitCast(IsolatedBareTickBody(body: body), to: BareTickBody.self).body
}

package func unisolated(_ body: @escaping @isolated(any) () -> Void) -> () -> Void {
    unsafeBitCast(IsolatedBareBody(body: body), to: BareBody.self).body
}

private struct IsolatedTickBody<Target: AnyObject> { let body: @isolated(any) (Target, Tick) -> Void }
private struct TickBody<Target: AnyObject> { let body: (Target, Tick) -> Void }
private struct IsolatedBody<Target: AnyObject> { let body: @isolated(any) (Target) -> Void }
private struct Body<Target: AnyObject> { let body: (Target) -> Void }
private struct IsolatedFrameBody<Target: AnyObject> { let body: @isolated(any) (Target, FrameTimer) -> Void }
private struct FrameBody<Target: AnyObject> { let body: (Target, FrameTimer) -> Void }
private struct IsolatedBareTickBody { let body: @isolated(any) (Tick) -> Void }
private struct BareTickBody { let body: (Tick) -> Void }
private struct IsolatedBareBody { let body: @isolated(any) () -> Void }
private struct BareBody { let body: () -> Void }
