internal import SQLite

/// A selection of a state's keys.
public enum StateKeys: Sendable, Hashable {
    case all
    /// Keys that begin with these bytes.
    case prefixed([UInt8])
    /// Keys that begin with none of these prefixes.
    case notPrefixed([[UInt8]])

    /// An SQL condition on the `key` column, with one parameter for each of ``values``.
    var condition: String {
        switch self {
        case .all: ""
        case .prefixed: " AND substr(key, 1, ?) = ?"
        case .notPrefixed(let prefixes): prefixes.map { _ in " AND substr(key, 1, ?) <> ?" }.joined()
        }
    }

    var values: [SQLiteValue] {
        switch self {
        case .all: []
        case .prefixed(let prefix): Self.values(prefix)
        case .notPrefixed(let prefixes): prefixes.flatMap(Self.values)
        }
    }

    private static func values(_ prefix: [UInt8]) -> [SQLiteValue] { [.integer(prefix.count), .blob(prefix)] }
}
