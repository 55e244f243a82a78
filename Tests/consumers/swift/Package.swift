// swift-tools-version: 6.2
import PackageDescription

// A package outside the library's tree that depends on it by path, as C and as Swift.
let library = Package.Dependency.package(name: "WeakTimer", path: Context.environment["WEAKTIMER_PATH"] ?? "../WeakTimer")

let package = Package(
    name: "Consumers",
    dependencies: [library],
    targets: [
        .executableTarget(name: "UsesC", dependencies: [.product(name: "WeakTimerCore", package: "WeakTimer")]),
        .executableTarget(name: "UsesWeakTimers", dependencies: [.product(name: "WeakTimers", package: "WeakTimer")]),
        .executableTarget(
            name: "UsesFoundation",
            dependencies: [.product(name: "WeakTimersFoundation", package: "WeakTimer")]),
        .executableTarget(
            name: "UsesAsyncMain",
            dependencies: [.product(name: "WeakTimersFoundation", package: "WeakTimer")]),
    ],
    swiftLanguageModes: [.v6]
)
