/// The exit codes of every executable; 64, 70 and 78 are those of `sysexits.h`.
public struct ExitCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int32
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Ended as asked.
    public static let ok = ExitCode(rawValue: 0)
    /// Something outside failed, or the shutdown did not end in time; starting again may help.
    public static let failure = ExitCode(rawValue: 1)
    /// The command line has the wrong form (`EX_USAGE`).
    public static let usage = ExitCode(rawValue: 64)
    /// What a topic holds cannot be read (`EX_DATAERR`): nothing is skipped, and an operator decides. Starting again helps
    /// where the network or the broker's memory was at fault.
    public static let damagedLog = ExitCode(rawValue: 65)
    /// The committed offset is not in the log any more (`EX_NOINPUT`): records are gone, and an operator decides where
    /// to go on. Starting again does not help.
    public static let offsetOutOfRange = ExitCode(rawValue: 66)
    /// A handler did not return within `consumer.record.deadline` (`EX_TEMPFAIL`): starting again may help, and after
    /// three such ends the record is handled alone.
    public static let recordDeadline = ExitCode(rawValue: 75)
    /// A bug of ours (`EX_SOFTWARE`).
    public static let `internal` = ExitCode(rawValue: 70)
    /// The configuration is wrong or incomplete (`EX_CONFIG`). Starting again does not help.
    public static let configuration = ExitCode(rawValue: 78)
}

/// An error that ends the process with one line and an exit code of its own. Any other error ends it with 1.
public protocol TerminatingError: Error {
    /// What happened, which setting it concerns, and what to do, on one line.
    var line: String { get }
    /// The code that the process ends with.
    var exitCode: ExitCode { get }
}

/// Why a service could not start, or cannot go on, in one line for an operator.
public struct StartupError: TerminatingError, Equatable, CustomStringConvertible {
    /// What was attempted and what came of it: `cannot listen on 0.0.0.0:8080: address in use`.
    public let problem: String
    /// The setting that it concerns, if one.
    public let setting: String?
    /// What to do: `Stop the other process, or set http.port to a free port`.
    public let fix: String
    public let exitCode: ExitCode

    public init(_ problem: String, setting: String? = nil, fix: String, exitCode: ExitCode = .failure) {
        self.problem = problem
        self.setting = setting
        self.fix = fix
        self.exitCode = exitCode
    }

    /// `http.port: cannot listen on 0.0.0.0:8080: address in use. Set http.port to a free port.`
    public var line: String {
        let text = (setting.map { "\($0): " } ?? "") + "\(problem.endingWithFullStop) \(fix.endingWithFullStop)"
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    public var description: String { line }
}

/// Any error as the line and the exit code of the process that it ends.
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
