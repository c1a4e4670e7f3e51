import Foundation

/// A program that may be installed on this machine.
package enum Program {
    /// Returns the program's path from `PATH`; `nil` if it is not installed.
    package static func path(of name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
}
