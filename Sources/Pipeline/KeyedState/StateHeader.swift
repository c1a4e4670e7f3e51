/// Names of headers of a state's records that other readers of the topic need, a contract.
public enum StateHeader {
    /// The writer of a record and the rules that it applied: every record of a member has it.
    public static let mark = "sluice.state"
    /// The moment that a record speaks of where that is not the time of its writing, milliseconds since 1970: of an
    /// erasure, what was signed up to it is erased.
    public static let moment = "sluice.state.moment"
    /// Marks a tombstone after which nothing of the row is needed: every member deletes the row.
    public static let expired = "sluice.state.expired"
    /// The offset of the record that first held a proposal; less than 0 where that was in another topic.
    public static let proposalOffset = "sluice.proposal.offset"
    /// Position and checksum of the row in the value, with the columns that a database keeps beside it, so that a restore
    /// need not parse records published by its own rules. Other readers ignore it.
    public static let row = "sluice.state.row"
}
