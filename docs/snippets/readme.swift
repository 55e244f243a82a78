// The README's Swift.
/* region: swift */
import WeakTimers

actor Model {
    private var refreshed = 0

    func start() {
        // The timer does not retain the model, nobody stops it, and the body runs on the actor.
        WeakTimer.every(.milliseconds(1), target: self, tolerance: .microseconds(100)) { model in
            model.refresh()
        }
    }

    func refresh() { refreshed += 1 }
    /* end region */
    var count: Int { refreshed }
    /* region: swift */
}
/* end region */

@main
struct Snippet {
    static func main() async throws {
        weak var weakly: Model?
        do {
            let model = Model()
            weakly = model
            await model.start()
            while await model.count < 3 { await Task.yield() }
        }
        // A tick that was running at that moment may hold the last reference for a little longer.
        while weakly != nil { await Task.yield() }
        print("the model has gone")
    }
}
