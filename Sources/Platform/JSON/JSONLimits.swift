/// Limits on the JSON text that a scan accepts.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum length of the text in bytes.
    public var bytes = JSONDocument.defaultMaximumBytes
    /// The maximum nesting depth.
    public var depth = JSONDocument.defaultMaximumDepth
    /// The maximum number of member names in the whole text.
    public var names = Int.max
    /// The maximum number of array elements in the whole text.
    public var elements = Int.max
    /// The maximum number of members in one object.
    public var members = Int.max

    public init() {}
}
