internal import JSON

/// A field of a payload as the ingress reads it.
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

/// Reads the few fields of an envelope out of one object.
struct EnvelopeReader {
    let document: JSONDocument
    /// Index of the object's node; any other kind of value has no fields.
    let object: Int

    /// A text that is bounded (``BoundedText``).
    func boundedText(_ name: StaticString) -> EnvelopeField<String> {
        guard let index = find(name) else { return .absent }
        let node = document.nodes[index]
        guard node.kind == .string else { return .malformed(.type) }
        // Six bytes (`\u0041`) are the longest way to write one.
        guard node.end - node.start <= 6 * BoundedText.maximumBytes else { return .malformed(.text) }
        let text = document.text(of: index)
        return BoundedText.accepts(text) ? .value(text) : .malformed(.text)
    }

    func wholeNumber(_ name: StaticString) -> EnvelopeField<Int64> {
        guard let index = find(name) else { return .absent }
        let element = JSONElement(document: document, index: index)
        guard element.kind == .number else { return .malformed(.type) }
        return element.integer.map { .value($0) } ?? .malformed(.number)
    }

    /// A date, rounded down to milliseconds.
    func instant(_ name: StaticString) -> EnvelopeField<AppStoreInstant> {
        guard let index = find(name) else { return .absent }
        let element = JSONElement(document: document, index: index)
        guard element.kind == .number else { return .malformed(.type) }
        return element.flooredInteger.flatMap(AppStoreInstant.init(millisecondsSince1970:)).map { .value($0) }
            ?? .malformed(.date)
    }

    /// Where the text of a nested JWS is. A JWS has no character that JSON would need to escape.
    func jwsRange(_ name: StaticString) -> EnvelopeField<Range<Int>> {
        guard let index = find(name) else { return .absent }
        let node = document.nodes[index]
        guard node.kind == .string else { return .malformed(.type) }
        return node.hasEscapes ? .malformed(.text) : .value(Int(node.start)..<Int(node.end))
    }

    func has(_ name: StaticString) -> Bool { document.member(name, of: object) != nil }

    /// An object inside this one; `null` counts as absent.
    func container(_ name: StaticString) -> EnvelopeReader? {
        find(name).map { EnvelopeReader(document: document, object: $0) }
    }

    /// The objects inside this one whose names are not among `names`.
    func objects(without names: Set<String>) -> [EnvelopeReader] {
        guard isObject else { return [] }
        let end = Int(document.nodes[object].next)
        var objects: [EnvelopeReader] = []
        var name = object + 1
        while name + 1 < end {
            let value = name + 1
            if document.nodes[value].kind == .object, !names.contains(document.text(of: name)) {
                objects.append(EnvelopeReader(document: document, object: value))
            }
            name = Int(document.nodes[value].next)
        }
        return objects
    }

    /// Whether `bundleId` and `environment` are there and readable.
    var namesApp: Bool { boundedText("bundleId").value != nil && boundedText("environment").value != nil }

    var isObject: Bool { document.nodes[object].kind == .object }

    /// `null` counts as absent.
    private func find(_ name: StaticString) -> Int? {
        guard let index = document.member(name, of: object), document.nodes[index].kind != .null else { return nil }
        return index
    }
}
