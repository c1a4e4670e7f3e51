/// Names of record headers that other readers of the state's topics need; they are a contract.
public enum StateHeader {
    /// The writer of a record and the fingerprint of its rules. Every record that a member writes has this header.
    public static let mark = "sluice.state"
    /// The effective time of a record, in milliseconds since 1970, if it differs from the time of writing. An erasure
    /// erases everything signed up to this time.
    public static let moment = "sluice.state.moment"
    /// Marks the tombstone of an expired row, which is no longer needed and which every member deletes.
    public static let expired = "sluice.state.expired"
    /// Marks a row with derived updates that may be missing from the topic. The owner of the row's partition publishes
    /// them, and then the row without this header.
    public static let pending = "sluice.state.pending"
    /// The offset of the first record that contained a proposal; negative if that record was in a different topic.
    public static let proposalOffset = "sluice.proposal.offset"
    /// Position and checksum of the row in the value, with the row's database columns, so that a restore need not parse
    /// records published under its own rules. Other readers ignore this header.
    public static let row = "sluice.state.row"
}
