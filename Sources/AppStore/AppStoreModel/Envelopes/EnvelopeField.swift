/// A field of a payload as the ingress meets it.
public enum EnvelopeField<Value: Sendable & Equatable>: Sendable, Equatable {
    /// Not sent, or sent as `null`.
    case absent
    /// Sent, but not what the field is documented to be.
    case malformed(EnvelopeFault)
    case value(Value)

    public var value: Value? { if case .value(let value) = self { value } else { nil } }

    public var fault: EnvelopeFault? { if case .malformed(let fault) = self { fault } else { nil } }

    public func map<Other>(_ transform: (Value) -> Other) -> EnvelopeField<Other> {
        switch self {
        case .absent: .absent
        case .malformed(let fault): .malformed(fault)
        case .value(let value): .value(transform(value))
        }
    }
}

/// What is wrong with a field.
public enum EnvelopeFault: String, Sendable, Hashable, CaseIterable {
    /// Another JSON type than documented.
    case type
    /// Text that is empty, longer than ``BoundedText/maximumBytes`` or has control characters.
    case text
    /// A number with a fraction, or outside `Int64`.
    case number
    /// A date outside the years 0000 to 9999.
    case date
    /// A value that would decide the environment, but neither clearly nor safely.
    case ambiguous
}

extension JSONElement {
    /// A text that is bounded (``BoundedText``).
    func boundedText(_ name: StaticString) -> EnvelopeField<String> {
        guard let element = self[name], !element.isNull else { return .absent }
        // Six bytes (`\u0041`) are the longest way to write one.
        guard let length = element.writtenLength else { return .malformed(.type) }
        guard length <= 6 * BoundedText.maximumBytes, let text = element.string, BoundedText.accepts(text) else {
            return .malformed(.text)
        }
        return .value(text)
    }

    func wholeNumber(_ name: StaticString) -> EnvelopeField<Int64> {
        guard let element = self[name], !element.isNull else { return .absent }
        guard element.kind == .number else { return .malformed(.type) }
        return element.integer.map { .value($0) } ?? .malformed(.number)
    }

    /// A date, rounded down to milliseconds.
    func instant(_ name: StaticString) -> EnvelopeField<AppStoreInstant> {
        guard let element = self[name], !element.isNull else { return .absent }
        guard element.kind == .number else { return .malformed(.type) }
        return element.flooredInteger.flatMap(AppStoreInstant.init(millisecondsSince1970:)).map { .value($0) }
            ?? .malformed(.date)
    }

    /// Where the text of a nested JWS stands. A JWS has no character that JSON would need to escape.
    func jwsRange(_ name: StaticString) -> EnvelopeField<Range<Int>> {
        guard let element = self[name], !element.isNull else { return .absent }
        guard element.kind == .string else { return .malformed(.type) }
        return element.plainTextRange.map { .value($0) } ?? .malformed(.text)
    }
}
