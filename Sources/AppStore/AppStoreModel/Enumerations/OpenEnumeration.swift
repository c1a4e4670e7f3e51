/// A set of values that Apple may extend at any time. Unknown values are preserved.
public protocol OpenEnumeration: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue: Hashable & Sendable & LosslessStringConvertible {
    init(rawValue: RawValue)

    /// All values documented by Apple at the time of writing.
    static var known: Set<Self> { get }
}

extension OpenEnumeration {
    public init(_ rawValue: RawValue) { self.init(rawValue: rawValue) }

    public var isKnown: Bool { Self.known.contains(self) }

    public var description: String { String(rawValue) }
}
