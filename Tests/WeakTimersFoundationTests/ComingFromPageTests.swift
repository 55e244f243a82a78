import Foundation
import XCTest

/// The Swift on docs/coming-from.md is what the compiler takes, without a warning.
final class ComingFromPageTests: XCTestCase {
    func testThePageCompiles() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: package.appendingPathComponent("docs/coming-from.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        XCTAssertGreaterThan(blocks.count, 6)

        let products = try XCTUnwrap(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
        let build = URL(fileURLWithPath: products).deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("Page.swift")
        try blocks.joined(separator: "\n").write(to: source, atomically: true, encoding: .utf8)

        let swiftc = Process()
        swiftc.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        swiftc.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-warnings-as-errors",
            "-module-cache-path", folder.appendingPathComponent("cache").path,
            "-I", build.appendingPathComponent("Modules").path,
            "-I", package.appendingPathComponent("include").path, source.path,
        ]
        let output = Pipe()
        swiftc.standardError = output
        try swiftc.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        swiftc.waitUntilExit()
        XCTAssertEqual(swiftc.terminationStatus, 0, text)
    }
}
