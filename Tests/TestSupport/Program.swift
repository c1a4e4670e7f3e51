import Foundation

/// A program that may be installed.
package enum Program {
    /// Returns its path from `PATH`; `nil` when it is not installed.
    package static func path(of name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
}
