import Foundation

/// Programs in Python that send hostile bytes, crowds and torn connections to any server, written without this one in
/// mind and not part of this repository: where `SLUICE_TEST_HTTP_LAB` says, else in `shared/lab/http` beside a folder
/// above this file.
package enum HTTPLab {
    /// Why tests that need them are skipped.
    package static let absence =
        "needs python3 and the programs of the HTTP laboratory: set SLUICE_TEST_HTTP_LAB to their directory"

    package static var isPresent: Bool { directory != nil && Program.path(of: "python3") != nil }

    /// The command that runs one of them.
    package static func command(_ program: String, _ arguments: String...) throws -> [String] {
        guard let directory else { throw SupportError(absence) }
        return ["python3", "\(directory)/\(program)"] + arguments
    }

    private static let directory: String? = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_HTTP_LAB"] { return path }
        return Checkout.beside("shared/lab/http") { FileManager.default.fileExists(atPath: $0 + "/hostile.py") }
    }()
}

/// Tests that take longer than everybody wants to wait each time.
package enum LongTests {
    /// Why they are skipped.
    package static let absence = "takes longer than 20 s: set SLUICE_TEST_LONG=1"

    package static var areWanted: Bool { ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] != nil }
}
