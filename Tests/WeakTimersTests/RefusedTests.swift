import Foundation
import XCTest

/// What the compiler must refuse, checked with the compiler: every line marked REFUSED must give an error, and no other line may.
final class RefusedTests: XCTestCase {
    private static let code = """
        import Dispatch
        import WeakTimers
        import WeakTimersFoundation

        final class Plain { var n = 0; func refresh() {} }
        final class Model: Sendable { func refresh() {} }
        @MainActor final class View { var n = 0; func refresh() {} }
        actor Account { var n = 0; func add() { n += 1 } }

        nonisolated func elsewhere(plain: Plain, model: Model, view: View, account: Account, queue: DispatchQueue) {
            // Nothing keeps two threads off an object that is not Sendable.
            WeakTimer.every(.seconds(1), target: plain) { plain in plain.refresh() } // REFUSED
            WeakTimer.every(.seconds(1), target: plain, action: Plain.refresh) // REFUSED
            WeakTimer.after(.seconds(1), target: plain) { plain, tick in plain.refresh() } // REFUSED
            WeakTimer.every(.seconds(1), target: plain, on: .pool()) { plain in plain.refresh() } // REFUSED
            WeakTimer.every(.seconds(1), target: plain, on: .inline) { plain in plain.refresh() } // REFUSED
            WeakTimer.every(.seconds(1), target: plain, on: TimerExecutor.queue(queue)) { $0.refresh() } // REFUSED
            WeakTimer.every(.seconds(1), target: model) { _ in plain.refresh() } // REFUSED
            WeakTimer.every(.seconds(1)) { plain.refresh() } // REFUSED
            // Its queue does.
            WeakTimer.every(.seconds(1), target: plain, on: .queue(queue)) { plain in plain.refresh() }
            WeakTimer.every(.seconds(1), target: plain, on: .queue(queue), action: Plain.refresh)

            // A variable that two threads would share.
            var count = 0
            WeakTimer.every(.seconds(1), target: model) { _ in count += 1 } // REFUSED
            count += 1

            // What belongs to an actor, off the actor.
            WeakTimer.every(.seconds(1), target: model) { _ in view.refresh() } // REFUSED
            WeakTimer.every(.seconds(1), target: view, on: .inline) { view in view.refresh() } // REFUSED
            WeakTimer.every(.seconds(1), target: model) { _ in account.add() } // REFUSED
            WeakTimer.every(.seconds(1), target: account, on: .inline) { account in account.add() } // REFUSED
            // On the actor.
            WeakTimer.every(.seconds(1), target: view) { @MainActor view in view.refresh() }
            WeakTimer.every(.seconds(1), target: view, action: View.refresh)
            WeakTimer.every(.seconds(1), target: account) { account in account.add() }
            WeakTimer.every(.seconds(1), target: account) { account, tick in account.n += tick.ordinal }
        }

        @MainActor func here(plain: Plain, view: View, model: Model) {
            WeakTimer.every(.seconds(1), target: plain) { plain in plain.n += 1 }
            WeakTimer.every(.seconds(1), target: plain, action: Plain.refresh)
            WeakTimer.every(.seconds(1), target: view) { view in view.n += 1 }
            WeakTimer.every(.seconds(1), target: model) { model in plain.refresh() }
            WeakTimer.every(.seconds(1), target: plain, on: .pool()) { plain in plain.n += 1 } // REFUSED
            WeakTimer.every(.seconds(1), target: view, on: .pool()) { view in view.n += 1 } // REFUSED
        }

        // With the parameter's type, as the documentation advises, the compiler has no trouble with what it gives up on without.
        @MainActor final class Curve {
            var x = 1.0, y = 2.0
            func start() throws {
                let every = WeakTimer.Options.every(.seconds(1))
                WeakTimer.every(.seconds(1), target: self) { (c: Curve) in c.x = c.x * 2 + c.y * 3 - c.x * 4 + c.y / 2 - 1 }
                WeakTimer.every(.seconds(1), target: self) { (c: Curve, _) in c.x = c.x * 2 + c.y * 3 - c.x * 4 + c.y / 2 - 1 }
                WeakTimer.after(.seconds(1), target: self) { (c: Curve) in c.x = c.x * 2 + c.y * 3 - c.x * 4 + c.y / 2 - 1 }
                try WeakTimer.start(every, target: self) { (c: Curve) in c.x = c.x * 2 + c.y * 3 - c.x * 4 + c.y / 2 - 1 }
            }
        }
        actor Sum { var x = 1.0, y = 2.0; func settle() async {} }
        final class Confined { var x = 1.0, y = 2.0 }

        nonisolated func typed(sum: Sum) throws {
            let every = WeakTimer.Options.every(.seconds(1))
            WeakTimer.every(.seconds(1), target: sum) { (s: isolated Sum) in s.x = s.x * 2 + s.y * 3 - s.x * 4 + s.y / 2 - 1 }
            WeakTimer.every(.seconds(1), target: sum) { (s: isolated Sum, _) in s.x = s.x * 2 + s.y * 3 - s.x * 4 + s.y / 2 }
            WeakTimer.after(.seconds(1), target: sum) { (s: isolated Sum) in await s.settle() }
            try WeakTimer.start(every, target: sum) { (s: isolated Sum) in s.x = s.x * 2 + s.y * 3 - s.x * 4 + s.y / 2 - 1 }
        }

        @MainActor func typed(confined: Confined) {
            WeakTimer.every(.seconds(1), target: confined) { (c: Confined) in c.x = c.x * 2 + c.y * 3 - c.x * 4 + c.y / 2 - 1 }
        }

        nonisolated func typedElsewhere(confined: Confined) {
            WeakTimer.every(.seconds(1), target: confined) { (c: Confined) in c.x += 1 } // REFUSED
        }

        nonisolated func proxies(plain: WeakProxy<Plain>, model: WeakProxy<Model>) {
            WeakTimer.every(.seconds(1)) { plain.perform(Plain.refresh) } // REFUSED
            WeakTimer.every(.seconds(1)) { model.perform(Model.refresh) }
        }

        extension Model { func add(_ n: Int) {}; func load() async {}; func fail() throws {}; @MainActor func show() {} }
        extension Plain { func add(_ n: Int) {}; func load() async {} }

        nonisolated func methods(plain: WeakProxy<Plain>, model: WeakProxy<Model>, view: WeakProxy<View>) throws {
            model.perform(Model.add) // REFUSED
            plain.perform(Plain.add) // REFUSED
            _ = model.perform(Model.add) // REFUSED
            model.perform(Model.load) // REFUSED
            plain.perform(Plain.load) // REFUSED
            model.perform(Model.fail) // REFUSED
            model.perform(Model.show) // REFUSED
            view.perform(View.refresh) // REFUSED
            try model.perform(Model.fail)
            model.perform { $0.add(1) }
            plain.perform { plain in plain.add(1) }
        }

        nonisolated func methodsInATask(plain: WeakProxy<Plain>, model: WeakProxy<Model>, view: WeakProxy<View>) async {
            await model.perform(Model.add) // REFUSED
            await plain.perform(Plain.load) // REFUSED
            await model.perform(Model.load)
            model.perform(Model.refresh)
            await view.perform(View.refresh)
        }
        """

    func testTheCompilerRefusesWhatIsNotSafe() throws {
        let products = try XCTUnwrap(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
        let build = URL(fileURLWithPath: products).deletingLastPathComponent()
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("refused-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("Refused.swift")
        try Self.code.write(to: source, atomically: true, encoding: .utf8)

        let swiftc = Process()
        swiftc.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        swiftc.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm",
            "-module-cache-path", folder.appendingPathComponent("cache").path,
            "-I", build.appendingPathComponent("Modules").path,
            "-I", package.appendingPathComponent("include").path, source.path,
        ]
        let output = Pipe()
        swiftc.standardError = output
        swiftc.standardOutput = output
        try swiftc.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        swiftc.waitUntilExit()

        let prefix = source.path + ":"
        let refused = text.split(separator: "\n").compactMap { line -> Int? in
            guard line.hasPrefix(prefix), line.contains(" error: ") else { return nil }
            return line.dropFirst(prefix.count).split(separator: ":").first.flatMap { Int($0) }
        }
        let expected = Self.code.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { $0.element.contains("// REFUSED") }.map { $0.offset + 1 }
        XCTAssertEqual(Set(refused).sorted(), expected, text)
        XCTAssertGreaterThan(expected.count, 10)
    }
}
