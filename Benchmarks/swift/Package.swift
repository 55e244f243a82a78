// swift-tools-version: 6.2
// The driver of the Swift API, with the same harness in C. A package of its own, so that the library's package has no part in it.
import PackageDescription

let package = Package(
    name: "Bench",
    dependencies: [.package(name: "WeakTimer", path: "../..")],
    targets: [
        // The harness's main is called from Swift's.
        .target(name: "Harness", cSettings: [.define("main", to: "bench_main"), .headerSearchPath("harness")]),
        .executableTarget(name: "Bench", dependencies: ["Harness", .product(name: "WeakTimers", package: "WeakTimer")]),
    ],
    swiftLanguageModes: [.v6]
)
