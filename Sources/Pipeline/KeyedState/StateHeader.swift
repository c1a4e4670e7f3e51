/// Names of record headers that other readers of the state's topics need; they are a contract.
public enum StateHeader {
    /// The writer of a record and the fingerprint of its rules; every record of a member has it.
    public static let mark = "sluice.state"
    /// The effective time of a record where it differs from the time of writing, milliseconds since 1970. An erasure
    /// erases everything signed up to it.
    public static let moment = "sluice.state.moment"
    /// Marks the tombstone of an expired row: the row is no longer needed, and every member deletes it.
    public static let expired = "sluice.state.expired"
    /// The offset of the record that first held a proposal; negative if that record was in another topic.
    public static let proposalOffset = "sluice.proposal.offset"
    /// Position and checksum of the row in the value, with the columns that a database keeps with it, so that a restore
    /// need not parse records published by its own rules. Other readers ignore it.
    public static let row = "sluice.state.row"
}
