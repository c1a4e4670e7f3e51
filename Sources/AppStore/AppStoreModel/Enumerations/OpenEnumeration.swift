/// A set of values that Apple may extend at any time: an unknown value is kept as received.
public protocol OpenEnumeration: RawRepresentable, Hashable, Sendable, CustomStringConvertible
where RawValue: Hashable & Sendable & LosslessStringConvertible {
    init(rawValue: RawValue)

    /// Every value that Apple documented at the time of writing.
    static var known: Set<Self> { get }
}

extension OpenEnumeration {
    public init(_ rawValue: RawValue) { self.init(rawValue: rawValue) }

    public var isKnown: Bool { Self.known.contains(self) }

    public var description: String { String(rawValue) }
}
