import Foundation

/// Python programs that send hostile bytes, many connections and partial requests to any server. They were written
/// independently and are not part of this repository. They are in `SLUICE_TEST_HTTP_LAB`, or in `shared/lab/http` in
/// any parent directory of this file.
package enum HTTPLab {
    /// The reason to skip tests that need the programs.
    package static let absence =
        "needs python3 and the programs of the HTTP laboratory: set SLUICE_TEST_HTTP_LAB to their directory"

    package static var isPresent: Bool { directory != nil && Program.path(of: "python3") != nil }

    /// Returns the command line of one of the programs.
    package static func command(_ program: String, _ arguments: String...) throws -> [String] {
        guard let directory else { throw SupportError(absence) }
        return ["python3", "\(directory)/\(program)"] + arguments
    }

    private static let directory: String? = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_HTTP_LAB"] { return path }
        return Checkout.beside("shared/lab/http") { FileManager.default.fileExists(atPath: $0 + "/hostile.py") }
    }()
}

/// Tests that take too long to run every time.
package enum LongTests {
    /// The reason to skip long tests.
    package static let absence = "takes longer than 20 s: set SLUICE_TEST_LONG=1"

    package static var areWanted: Bool { ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] != nil }
}
