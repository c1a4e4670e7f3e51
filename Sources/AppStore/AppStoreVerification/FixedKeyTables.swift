/// Whether multiples of Apple's keys are computed in advance: a signature then costs less than half.
///
/// What such a table says is OpenSSL's own arithmetic by a function that OpenSSL has deprecated, so it is watched: it
/// never refuses, and some of what it accepts is verified again in the usual way.
public struct FixedKeyTables: Sendable, Hashable {
    static let greatestRecheck = 1_000_000

    public var isOn: Bool
    /// Of so many signatures that a table accepts, one is verified again: the first of each key, and then one in so many.
    public var recheckedOneIn: Int

    public init(isOn: Bool = false, recheckedOneIn: Int = 256) {
        self.isOn = isOn
        self.recheckedOneIn = recheckedOneIn
    }
}

/// What becomes of the tables of one process.
public enum FixedKeyEvent: Sendable, Hashable {
    /// A table has passed its test and is used from now on.
    case ready(publicKey: [UInt8])
    /// This machine's OpenSSL makes no tables: there will be none.
    case unavailable(String)
    /// A table did not pass its test. It was not used, and there will be no other.
    case testFailed(publicKey: [UInt8])
    /// A table and OpenSSL's verification said different things of one signature. OpenSSL has decided; no table is used
    /// any more.
    case disagreement(FixedKeyDisagreement)
}

/// A signature of which a table and OpenSSL said different things. All of it is public.
public struct FixedKeyDisagreement: Sendable, Hashable {
    /// SHA-256 of what was signed, 32 bytes.
    public let digest: [UInt8]
    /// r then s, 32 bytes each.
    public let signature: [UInt8]
    /// The point of the key, 04 || x || y.
    public let publicKey: [UInt8]
    /// What the table said; OpenSSL said the opposite.
    public let isGoodByTable: Bool
}

/// What is known of the tables of one process.
public struct FixedKeyStatus: Sendable, Hashable {
    /// Keys that have a table in use.
    public var tables = 0
    /// Signatures that a table has judged.
    public var judged = 0
    /// Of those that a table accepted, how many were verified again.
    public var rechecked = 0
    /// Disagreements, and tables that did not pass their test. After one there are no more tables.
    public var faults = 0
}
