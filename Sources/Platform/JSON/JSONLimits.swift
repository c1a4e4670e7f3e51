/// Limits on a text to be scanned.
public struct JSONLimits: Sendable, Hashable {
    /// Maximum length of the text in bytes.
    public var bytes = JSONDocument.defaultMaximumBytes
    /// Maximum nesting depth of containers.
    public var depth = JSONDocument.defaultMaximumDepth
    /// Maximum number of member names in the whole text.
    public var names = Int.max
    /// Maximum number of array elements in the whole text.
    public var elements = Int.max
    /// Maximum number of members of one object.
    public var members = Int.max

    public init() {}
}
