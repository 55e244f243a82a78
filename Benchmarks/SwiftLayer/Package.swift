// swift-tools-version: 6.2
// What the Swift layer costs over the C functions below it, in one process. A package of its own, so that the library's package has no
// part in it.
import PackageDescription

let package = Package(
    name: "SwiftLayer",
    dependencies: [.package(name: "WeakTimer", path: "../..")],
    targets: [
        .executableTarget(
            name: "SwiftLayer",
            dependencies: [
                .product(name: "WeakTimers", package: "WeakTimer"),
                .product(name: "WeakTimerCore", package: "WeakTimer"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
