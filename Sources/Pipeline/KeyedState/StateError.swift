public import PipelineRuntime
internal import SQLite

/// A failure to read or write the state. It is never caused by an input record, so the records are retried.
public struct StateError: InfrastructureFault, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// Another process owns the file.
        case ownedByAnother
        /// The file or one of its rows cannot be read; it is never overwritten.
        case damaged
        /// A newer version of the program wrote the file or the record.
        case newer
        /// An SQLite operation failed, for example because of a disk error or a lock.
        case sqlite
        /// A publication was not acknowledged.
        case publication
        /// The state's topic cannot be read, does not exist, or is not followed by this member.
        case changelog
        /// The number of partitions of the state's topic was changed.
        case repartitioned
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

extension StateError {
    init(_ error: any Error) {
        switch error {
        case let error as StateError: self = error
        case let error as SQLiteError: self.init(error)
        default: self.init(.damaged, "a row cannot be read: \(error)")
        }
    }

    init(_ error: SQLiteError) {
        let code: Code =
            switch error.code {
            case .ownedByAnother: .ownedByAnother
            case .newerSchema: .newer
            default: error.isCorrupt ? .damaged : .sqlite
            }
        self.init(code, error.message)
    }
}
