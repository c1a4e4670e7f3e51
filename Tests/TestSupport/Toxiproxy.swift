import Foundation

/// Shopify's Toxiproxy, if present: a TCP proxy that delays, throttles, resets or drops connections on command.
package enum Toxiproxy {
    package static let absence =
        "needs SLUICE_TOXIPROXY or toxiproxy-server in PATH, or shared/tools beside a folder above"

    /// Path of the server.
    package static let path: String? = {
        func canRun(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }
        if let path = ProcessInfo.processInfo.environment["SLUICE_TOXIPROXY"], canRun(path) { return path }
        return Program.path(of: "toxiproxy-server") ?? Checkout.beside("shared/tools/toxiproxy-server", where: canRun)
    }()
}
