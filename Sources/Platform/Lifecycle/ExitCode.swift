/// The exit codes of every executable; 64, 65, 66, 70, 75 and 78 follow `sysexits.h`.
public struct ExitCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The process ended as requested.
    public static let ok = ExitCode(rawValue: 0)
    /// An external failure, or a shutdown that did not finish in time. A restart may help.
    public static let failure = ExitCode(rawValue: 1)
    /// The command line is invalid (`EX_USAGE`).
    public static let usage = ExitCode(rawValue: 64)
    /// A topic has unreadable content (`EX_DATAERR`). Nothing is skipped, so an operator must decide how to continue. A
    /// restart helps if the network or the broker's memory caused the damage.
    public static let damagedLog = ExitCode(rawValue: 65)
    /// The committed offset is not in the log (`EX_NOINPUT`). Records have been lost, and an operator must decide where
    /// to continue. A restart does not help.
    public static let offsetOutOfRange = ExitCode(rawValue: 66)
    /// A handler did not return within `consumer.record.deadline` (`EX_TEMPFAIL`). A restart may help; after three such
    /// exits, the record is handled on its own.
    public static let recordDeadline = ExitCode(rawValue: 75)
    /// A programming error (`EX_SOFTWARE`).
    public static let `internal` = ExitCode(rawValue: 70)
    /// The configuration is invalid or incomplete (`EX_CONFIG`). A restart does not help.
    public static let configuration = ExitCode(rawValue: 78)
}

/// An error that ends the process with one line and a specific exit code. Any other error ends it with exit code 1.
public protocol TerminatingError: Error {
    /// The error, the setting involved, and the fix, on one line.
    var line: String { get }
    /// The process exit code.
    var exitCode: ExitCode { get }
}

/// A failure to start or run a service, reported to the operator as one line.
public struct StartupError: TerminatingError, Equatable, CustomStringConvertible {
    /// The failed operation and the reason, such as `cannot listen on 0.0.0.0:8080: address in use`.
    public let problem: String
    /// The setting involved, if any.
    public let setting: String?
    /// The fix, such as `Stop the other process, or set http.port to a free port`.
    public let fix: String
    public let exitCode: ExitCode

    public init(_ problem: String, setting: String? = nil, fix: String, exitCode: ExitCode = .failure) {
        self.problem = problem
        self.setting = setting
        self.fix = fix
        self.exitCode = exitCode
    }

    /// A line such as `http.port: cannot listen on 0.0.0.0:8080: address in use. Set http.port to a free port.`.
    public var line: String {
        let text = (setting.map { "\($0): " } ?? "") + "\(problem.endingWithFullStop) \(fix.endingWithFullStop)"
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    public var description: String { line }
}

/// The line and the exit code for an error that ends the process.
struct Failure {
    let line: String
    let exitCode: ExitCode

    init(_ error: any Error) {
        if let error = error as? any TerminatingError {
            line = error.line
            exitCode = error.exitCode
        } else {
            line = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
            exitCode = .failure
        }
    }
}

extension String {
    fileprivate var endingWithFullStop: String { hasSuffix(".") ? self : self + "." }
}
