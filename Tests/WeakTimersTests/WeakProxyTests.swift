import WeakTimers
import XCTest

private final class Song: CustomStringConvertible, CustomDebugStringConvertible {
    var title: String
    var composer: String?
    let length = 3
    private let deaths: Counter?

    init(_ title: String, deaths: Counter? = nil) {
        self.title = title
        self.deaths = deaths
    }

    deinit { deaths?.increment() }

    func shout() -> String { title.uppercased() }
    func fail() throws { throw TimerError.limit }
    var description: String { "Song \(title)" }
    var debugDescription: String { "Song(\(title))" }
}

final class WeakProxyTests: XCTestCase {
    func testItRetainsNothing() {
        let deaths = Counter()
        var song: Song? = Song("Erlkönig", deaths: deaths)
        let proxy = WeakProxy(song!)
        XCTAssertTrue(proxy.isAlive)
        XCTAssertTrue(proxy.target === song)
        song = nil
        XCTAssertEqual(deaths.value, 1)
        XCTAssertFalse(proxy.isAlive)
        XCTAssertNil(proxy.target)
    }

    func testMembers() {
        var song: Song? = Song("Erlkönig")
        let proxy = WeakProxy(song!)
        XCTAssertEqual(proxy.title, "Erlkönig")
        XCTAssertEqual(proxy.length, 3)
        proxy.title = "Gretchen"
        proxy.composer = "Schubert"
        XCTAssertEqual(song?.title, "Gretchen")
        XCTAssertEqual(song?.composer, "Schubert")
        proxy.title = nil
        XCTAssertEqual(song?.title, "Gretchen")
        proxy.composer = nil
        XCTAssertNil(song?.composer)
        song = nil
        XCTAssertNil(proxy.title)
        XCTAssertNil(proxy.composer)
        proxy.title = "nobody"
        XCTAssertNil(proxy.title)
    }

    func testPerform() throws {
        var song: Song? = Song("Erlkönig")
        let proxy = WeakProxy(song!)
        XCTAssertEqual(proxy.perform(Song.shout), "ERLKÖNIG")
        XCTAssertEqual(proxy.perform { $0.length }, 3)
        XCTAssertThrowsError(try proxy.perform { try $0.fail() })
        song = nil
        XCTAssertNil(proxy.perform(Song.shout))
        XCTAssertNoThrow(try proxy.perform { try $0.fail() })
    }

    func testPerformCallsMethodsOfEveryKind() async throws {
        let model = Model()
        let proxy = WeakProxy(model)
        proxy.perform(Model.refresh)
        await proxy.perform(Model.load)
        XCTAssertEqual(model.ticks.value, 2)
        XCTAssertThrowsError(try proxy.perform(Model.fail)) { XCTAssertEqual($0 as? TimerError, .limit) }
        do {
            try await proxy.perform(Model.failLater)
            XCTFail("the method's error was lost")
        } catch {
            XCTAssertEqual(error as? TimerError, .gone)
        }
        let view = WeakProxy(ViewModel())
        let count = await view.perform(ViewModel.count)
        XCTAssertNil(count, "nobody holds it")
    }

    /// None of the forms takes a plain closure away from the others, wherever it stands.
    func testPerformTakesClosuresInAsynchronousCode() async throws {
        let model = Model()
        let proxy = WeakProxy(model)
        proxy.perform { $0.refresh() }
        proxy.perform { model in
            model.refresh()
            model.refresh()
        }
        let count = proxy.perform { $0.ticks.value }
        XCTAssertEqual(count, 3)
        let twice = proxy.perform { model in
            model.refresh()
            return 2 * model.ticks.value
        }
        XCTAssertEqual(twice, 8)
        _ = proxy.perform { _ in 1 }
    }

    @MainActor func testPerformOnTheMainActor() async {
        let view = ViewModel()
        let proxy = WeakProxy(view)
        proxy.perform(ViewModel.refresh)
        await proxy.perform(ViewModel.load)
        await Self.refreshElsewhere(proxy)
        XCTAssertEqual(proxy.perform(ViewModel.count), 3)
    }

    private nonisolated static func refreshElsewhere(_ proxy: WeakProxy<ViewModel>) async {
        await proxy.perform(ViewModel.refresh)
    }

    func testEqualityAndHashOutliveTheObject() {
        var song: Song? = Song("Erlkönig")
        let proxy = WeakProxy(song!)
        let twin = WeakProxy(song!)
        XCTAssertEqual(proxy, twin)
        XCTAssertTrue(proxy == song!)
        let hash = proxy.hashValue
        let set: Set = [proxy]
        song = nil
        XCTAssertEqual(proxy.hashValue, hash)
        XCTAssertEqual(proxy, twin)
        XCTAssertTrue(set.contains(proxy))
        XCTAssertTrue(set.contains(twin))
        // No later object may pass for the dead one, though memory is used again.
        for _ in 0..<10_000 { XCTAssertFalse(set.contains(WeakProxy(Song("another")))) }
    }

    func testDescriptions() {
        var song: Song? = Song("Erlkönig")
        let proxy = WeakProxy(song!)
        XCTAssertEqual("\(proxy)", "Song Erlkönig")
        XCTAssertEqual(proxy.debugDescription, "Song(Erlkönig)")
        XCTAssertTrue(proxy.isKind(of: Song.self))
        XCTAssertFalse(proxy.isKind(of: Counter.self))
        song = nil
        XCTAssertTrue("\(proxy)".contains("dead"))
        XCTAssertFalse(proxy.isKind(of: Song.self))
    }
}

extension Model {
    fileprivate func fail() throws { throw TimerError.limit }
    fileprivate func failLater() async throws { throw TimerError.gone }
}

extension ViewModel {
    fileprivate func count() -> Int { ticks }
}

private final class View {
    @MainActor private static let players = WeakProperty<View, Song>()
    @MainActor var player: Song? {
        get { Self.players[self] }
        set { Self.players[self] = newValue }
    }
}

final class WeakPropertyTests: XCTestCase {
    @MainActor func testAStoredPropertyForAnExtension() {
        let view = View()
        let other = View()
        var song: Song? = Song("Erlkönig")
        XCTAssertNil(view.player)
        view.player = song
        XCTAssertTrue(view.player === song)
        XCTAssertNil(other.player)
        view.player = nil
        XCTAssertNil(view.player)
        view.player = song
        song = nil
        XCTAssertNil(view.player)
    }

    func testItKeepsNeitherOwnerNorValue() {
        final class Owner {
            let deaths: Counter
            init(_ deaths: Counter) { self.deaths = deaths }
            deinit { deaths.increment() }
        }
        let owners = Counter()
        let values = Counter()
        let property = WeakProperty<Owner, Song>()
        let kept = Song("kept")
        for _ in 0..<10_000 {
            let owner = Owner(owners)
            XCTAssertNil(property[owner], "an earlier owner's value, at the same address")
            property[owner] = kept
            property[owner] = Song("lost", deaths: values)
            XCTAssertNil(property[owner])
            property[owner] = kept
            XCTAssertTrue(property[owner] === kept)
        }
        XCTAssertEqual(owners.value, 10_000)
        XCTAssertEqual(values.value, 10_000)
        XCTAssertLessThanOrEqual(property.count, 32)
    }

    func testWhatDiedIsDropped() {
        let property = WeakProperty<Model, Song>()
        let song = Song("kept")
        var living: [Model] = []
        for round in 1...50 {
            // All at once, so that each has an address of its own.
            let owners = (0..<100).map { _ in Model() }
            for owner in owners { property[owner] = song }
            living.append(owners[round])
            XCTAssertLessThanOrEqual(property.count, 2 * (living.count + 100) + 100)
        }
        for owner in living { XCTAssertTrue(property[owner] === song) }
    }

    // A sweep looks at other owners; one that dies meanwhile may come to the property in its deinit.
    func testADeinitThatUsesTheProperty() {
        final class Owner {
            let property: WeakProperty<Owner, Song>
            let seen: Counter
            init(_ property: WeakProperty<Owner, Song>, _ seen: Counter) { (self.property, self.seen) = (property, seen) }
            deinit { seen.increment(by: property.count > 0 ? 1 : 0) }
        }
        let property = WeakProperty<Owner, Song>()
        let seen = Counter()
        let song = Song("kept")
        for _ in 0..<1000 {
            let owner = Owner(property, seen)
            property[owner] = song
        }
        XCTAssertEqual(seen.value, 1000)
    }

    // So it may where its value died first, and while another thread sweeps.
    func testADeinitThatUsesThePropertyFromManyThreads() {
        final class Owner: Sendable {
            let property: WeakProperty<Owner, Song>
            init(_ property: WeakProperty<Owner, Song>) { self.property = property }
            deinit { property[self] = nil }
        }
        let property = WeakProperty<Owner, Song>()
        let done = Counter()
        for _ in 0..<3 {
            Thread.detachNewThread {
                for _ in 0..<5_000 {
                    let owners = (0..<40).map { _ in Owner(property) }
                    for owner in owners { property[owner] = Song("gone at once") }
                }
                done.increment()
            }
        }
        eventually("an owner's deinit ran under the lock") { done.value == 3 }
    }

    func testReflectionFindsTheObjectAloneOrNothing() {
        struct Holder { let proxy: WeakProxy<Song> }
        var song: Song? = Song("Erlkönig")
        let proxy = WeakProxy(song!), holder = Holder(proxy: proxy)
        XCTAssertEqual(Mirror(reflecting: proxy).children.map(\.label), ["target"])
        XCTAssertTrue(Mirror(reflecting: proxy).children.first?.value as? Song === song)
        song = nil
        var text = ""
        dump(proxy, to: &text)
        dump(holder, to: &text)
        XCTAssertTrue(text.contains("target: nil"), text)
        XCTAssertNil(Mirror(reflecting: proxy).children.first?.value as? Song)
    }
}
