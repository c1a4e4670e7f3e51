internal import JSON

/// A payload field, as read by the ingress.
public enum EnvelopeField<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The field is missing or `null`.
    case absent
    /// The field is present but does not match the documentation.
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

/// The reason why a field is malformed.
public enum EnvelopeFault: String, Sendable, Hashable, CaseIterable {
    /// The JSON value has the wrong type.
    case type
    /// The text is empty, is longer than ``BoundedText/maximumBytes``, or contains control characters. For a nested
    /// JWS, the text contains escapes.
    case text
    /// The number has a fraction or is outside the range of `Int64`.
    case number
    /// The date is not within the years 0000 to 9999.
    case date
    /// The field is ambiguous, so no environment can be derived from it.
    case ambiguous
}

/// Reads the envelope fields of an object.
struct EnvelopeReader {
    let document: JSONDocument
    /// The node index of the object. If the node is not an object, it has no fields.
    let object: Int

    /// Reads a string that meets the requirements of ``BoundedText``.
    func boundedText(_ name: StaticString) -> EnvelopeField<String> {
        guard let index = find(name) else { return .absent }
        let node = document.nodes[index]
        guard node.kind == .string else { return .malformed(.type) }
        // Escaping expands a byte to at most six bytes (`\u0041`).
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

    /// Reads a date, rounded down to milliseconds.
    func instant(_ name: StaticString) -> EnvelopeField<AppStoreInstant> {
        guard let index = find(name) else { return .absent }
        let element = JSONElement(document: document, index: index)
        guard element.kind == .number else { return .malformed(.type) }
        return element.flooredInteger.flatMap(AppStoreInstant.init(millisecondsSince1970:)).map { .value($0) }
            ?? .malformed(.date)
    }

    /// Returns the byte range of a nested JWS. No JWS character requires escaping in JSON, so a JWS with escapes is
    /// malformed.
    func jwsRange(_ name: StaticString) -> EnvelopeField<Range<Int>> {
        guard let index = find(name) else { return .absent }
        let node = document.nodes[index]
        guard node.kind == .string else { return .malformed(.type) }
        return node.hasEscapes ? .malformed(.text) : .value(Int(node.start)..<Int(node.end))
    }

    func has(_ name: StaticString) -> Bool { document.member(name, of: object) != nil }

    /// Returns a reader for a member that should be an object, or nil if the member is absent or `null`. A member of
    /// another type has no fields; see ``isObject``.
    func container(_ name: StaticString) -> EnvelopeReader? {
        find(name).map { EnvelopeReader(document: document, object: $0) }
    }

    /// Returns all nested objects except the named ones.
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

    /// Whether both `bundleId` and `environment` are present and well-formed.
    var namesApp: Bool { boundedText("bundleId").value != nil && boundedText("environment").value != nil }

    var isObject: Bool { document.nodes[object].kind == .object }

    /// Returns the node of a field's value; `null` is treated as absent.
    private func find(_ name: StaticString) -> Int? {
        guard let index = document.member(name, of: object), document.nodes[index].kind != .null else { return nil }
        return index
    }
}
