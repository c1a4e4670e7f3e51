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
        case .notPrefixed(let prefixes):
            Self.byLength(prefixes).map { length, prefixes in
                " AND substr(key, 1, \(length)) NOT IN (\(prefixes.map { _ in "?" }.joined(separator: ", ")))"
            }.joined()
        }
    }

    var values: [SQLiteValue] {
        switch self {
        case .all: []
        case .prefixed(let prefix): [.integer(prefix.count), .blob(prefix)]
        case .notPrefixed(let prefixes): Self.byLength(prefixes).flatMap { $0.prefixes.map { .blob($0) } }
        }
    }

    /// Returns the prefixes grouped by length. One comparison per prefix would exceed SQLite's limit of 1,000 nested
    /// expressions.
    private static func byLength(_ prefixes: [[UInt8]]) -> [(length: Int, prefixes: [[UInt8]])] {
        Dictionary(grouping: prefixes, by: \.count).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
