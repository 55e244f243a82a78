// swift-tools-version: 6.2
import PackageDescription

// The core must also compile as Embedded Swift: what Embedded refuses is an error here already.
let core: [SwiftSetting] = [.treatWarning("EmbeddedRestrictions", as: .error)]

let package = Package(
    name: "WeakTimer",
    products: [
        .library(name: "WeakTimerCore", targets: ["WeakTimerCore", "CWeakTimer"]),
        .library(name: "WeakTimers", targets: ["WeakTimers"]),
        .library(name: "WeakTimersFoundation", targets: ["WeakTimersFoundation"]),
    ],
    targets: [
        // The public header, include/weaktimer.h, as a module; private shims beside it.
        .target(name: "CWeakTimer"),
        .systemLibrary(name: "CPlatform", path: "Sources/CPlatform"),

        .target(name: "WeakTimerCore", dependencies: ["CWeakTimer", "CPlatform"], swiftSettings: core),
        .target(name: "WeakTimers", dependencies: ["CWeakTimer", "WeakTimerCore"]),
        .target(name: "WeakTimersFoundation", dependencies: ["WeakTimers", "CWeakTimer"]),

        .testTarget(name: "WeakTimerCoreTests", dependencies: ["WeakTimerCore", "CWeakTimer", "CPlatform"]),
        .testTarget(name: "WeakTimersTests", dependencies: ["WeakTimers", "CWeakTimer"]),
        .testTarget(name: "WeakTimersFoundationTests", dependencies: ["WeakTimersFoundation", "WeakTimers"]),
    ],
    swiftLanguageModes: [.v6]
)
