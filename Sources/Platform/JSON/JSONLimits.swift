/// How large a text may be that is scanned.
public struct JSONLimits: Sendable, Hashable {
    /// The text's length in bytes.
    public var bytes = JSONDocument.defaultMaximumBytes
    /// Containers inside each other.
    public var depth = JSONDocument.defaultMaximumDepth
    /// Names of members in the whole text.
    public var names = Int.max
    /// Elements of arrays in the whole text.
    public var elements = Int.max
    /// Members of one object.
    public var members = Int.max

    public init() {}
}
