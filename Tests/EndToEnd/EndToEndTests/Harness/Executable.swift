import Foundation
import TestSupport
import Testing

/// One of the package's executables, started as an operator would.
struct Executable: Sendable {
    let name: String
    var arguments: [String]
    var environment: [String: String]

    init(_ name: String, arguments: [String] = [], environment: [String: String] = [:]) {
        self.name = name
        self.arguments = arguments
        self.environment = environment
    }

    /// A build puts executables and test bundle into the same directory. `SLUICE_TEST_EXECUTABLES` names another one.
    static let directory: URL = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_EXECUTABLES"] { return URL(filePath: path) }
        let bundle = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent()
    }()

    var path: String { Self.directory.appending(path: name).path }

    /// The environment of this process without its Sluice settings, plus the executable's own settings.
    var wholeEnvironment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SLUICE_") }.merging(environment) { $1 }
    }
}

/// The result of an executable.
struct Finished: Sendable, CustomStringConvertible {
    let name: String
    let end: ProcessEnd
    let output: String
    let errors: String

    var description: String { "\(name) ended with \(end)\n\(output)\(errors)" }

    /// The last line of the output as a JSON object.
    var json: JSON.Object {
        get throws {
            let line = output.split(separator: "\n").last.map(String.init) ?? ""
            return try #require(JSON.object(line), "\(self)")
        }
    }

    /// Every line of the output as a JSON object.
    var jsonLines: [JSON.Object] {
        get throws { try output.split(separator: "\n").map { try #require(JSON.object(String($0)), "\($0)") } }
    }
}
