internal import EntitlementRules
internal import PipelineRuntime
internal import SQLite

/// Why the store could not do something. The records at hand are never at fault, so the runtime tries them again for
/// ever. Equality compares all properties.
struct EntitlementsStoreError: InfrastructureFault, Equatable, CustomStringConvertible {
    enum Code: Sendable, Equatable {
        /// Another process writes to the file.
        case ownedByAnother
        /// The file is damaged, or no database.
        case damaged
        /// A newer version of this program wrote it.
        case newer
        /// The disk, a lock, or anything else of SQLite.
        case sqlite
    }

    let code: Code
    /// What happened, without personal data.
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// An error of SQLite, or of reading a row.
    init(_ error: any Error) {
        switch error {
        case let error as EntitlementsStoreError: self = error
        case let error as SQLiteError: self.init(Code(error), error.message)
        case let error as ChainFormatError:
            self.init(
                error.code == .unknownFormat ? .newer : .damaged, "a row cannot be read: \(error.code.rawValue)")
        default: self.init(.sqlite, "\(error)")
        }
    }

    var description: String { message }
}

extension EntitlementsStoreError.Code {
    fileprivate init(_ error: SQLiteError) {
        self =
            switch error.code {
            case .ownedByAnother: .ownedByAnother
            case .newerSchema: .newer
            case .wrongType: .damaged
            default: error.isCorrupt ? .damaged : .sqlite
            }
    }
}
