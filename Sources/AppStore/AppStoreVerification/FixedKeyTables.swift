/// Settings for the precomputed tables of multiples of Apple's keys, which more than halve the cost of verifying a
/// signature.
///
/// A table is computed with a deprecated OpenSSL function, so its results are monitored: a table never rejects a
/// signature, and a share of the signatures that it accepts is verified again in the usual way.
public struct FixedKeyTables: Sendable, Hashable {
    static let greatestRecheck = 1_000_000

    public var isOn: Bool
    /// The share of accepted signatures to verify again: the first signature of each key, then one in this number.
    public var recheckedOneIn: Int

    public init(isOn: Bool = false, recheckedOneIn: Int = 256) {
        self.isOn = isOn
        self.recheckedOneIn = recheckedOneIn
    }
}

/// Events concerning the precomputed tables of one process.
public enum FixedKeyEvent: Sendable, Hashable {
    /// A table has passed its test and is in use from now on.
    case ready(publicKey: [UInt8])
    /// OpenSSL on this machine cannot compute tables; none will be used.
    case unavailable(String)
    /// A table did not pass its test. It was not used, and no other table will be.
    case testFailed(publicKey: [UInt8])
    /// A table and OpenSSL gave different results for a signature. OpenSSL's result counts; tables are off from now on.
    case disagreement(FixedKeyDisagreement)
}

/// A signature for which a table and OpenSSL gave different results. All of its fields are public data.
public struct FixedKeyDisagreement: Sendable, Hashable {
    /// SHA-256 of the signed bytes: 32 bytes.
    public let digest: [UInt8]
    /// r followed by s: 32 bytes each.
    public let signature: [UInt8]
    /// The point of the key, 04 || x || y.
    public let publicKey: [UInt8]
    /// The table's result; OpenSSL's result was the opposite.
    public let isGoodByTable: Bool
}

/// Counters for the precomputed tables of one process.
public struct FixedKeyStatus: Sendable, Hashable {
    /// Number of keys with a table in use.
    public var tables = 0
    /// Number of signatures evaluated with a table.
    public var judged = 0
    /// Number of accepted signatures that were verified again.
    public var rechecked = 0
    /// Number of disagreements, and of tables that did not pass their test. Tables are off after the first one.
    public var faults = 0
}
