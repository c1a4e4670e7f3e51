/// Settings for precomputed tables of multiples of Apple's keys. A table cuts the cost of verifying a signature by more
/// than half.
///
/// Tables are computed with a deprecated OpenSSL function, so their results are monitored. A table never rejects a
/// signature, and a sample of the signatures that it accepts is verified again without a table.
public struct FixedKeyTables: Sendable, Hashable {
    static let greatestRecheck = 1_000_000

    public var isOn: Bool
    /// The first accepted signature of each key is verified again, then one of every `recheckedOneIn`.
    public var recheckedOneIn: Int

    public init(isOn: Bool = false, recheckedOneIn: Int = 256) {
        self.isOn = isOn
        self.recheckedOneIn = recheckedOneIn
    }
}

/// An event concerning the precomputed tables of a process.
public enum FixedKeyEvent: Sendable, Hashable {
    /// A table passed its test and is now in use.
    case ready(publicKey: [UInt8])
    /// OpenSSL on this machine cannot compute tables, so none are used.
    case unavailable(String)
    /// A table failed its test. It was not used, and no further tables will be.
    case testFailed(publicKey: [UInt8])
    /// A table and OpenSSL disagreed on a signature. OpenSSL's result is used, and tables are turned off.
    case disagreement(FixedKeyDisagreement)
}

/// A signature on which a table and OpenSSL disagreed. All fields are public data.
public struct FixedKeyDisagreement: Sendable, Hashable {
    /// The SHA-256 digest of the signed bytes, 32 bytes.
    public let digest: [UInt8]
    /// The signature as r followed by s, 32 bytes each.
    public let signature: [UInt8]
    /// The point of the public key, 04 || x || y.
    public let publicKey: [UInt8]
    /// The table's result. OpenSSL's result was the opposite.
    public let isGoodByTable: Bool
}

/// Counters for the precomputed tables of one process.
public struct FixedKeyStatus: Sendable, Hashable {
    /// The number of keys with a table in use.
    public var tables = 0
    /// The number of signatures evaluated with a table.
    public var judged = 0
    /// The number of accepted signatures that were verified again.
    public var rechecked = 0
    /// The number of disagreements and of tables that failed their test. Tables are turned off after the first fault.
    public var faults = 0
}
