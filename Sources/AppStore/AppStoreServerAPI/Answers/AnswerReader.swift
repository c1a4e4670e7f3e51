internal import AppStoreModel
internal import JSON

/// The body of a successful response. Unlike in a notification, a documented member with the wrong JSON type makes the
/// whole response unreadable: the request is retried or the problem is reported, and no default is substituted.
/// Undocumented members are ignored.
package protocol APIAnswer: Sendable, Hashable {
    init(reading members: inout AnswerReader) throws(AnswerError)
}

/// A difference between a response and Apple's documentation.
package struct AnswerError: Error, Sendable, Equatable {
    package let message: String

    static func absent(_ name: StaticString) -> AnswerError { AnswerError(message: "\(name) is absent") }
}

/// Reads the members of one object in a response.
package struct AnswerReader {
    private let element: JSONElement
    private var fields: FieldReader

    private init(_ element: JSONElement, path: String = "") {
        self.element = element
        fields = FieldReader(element, path: path)
    }

    /// Parses a complete response.
    ///
    /// - Throws: ``APIError`` of kind `unreadable`. The message names the invalid member, if there is one.
    package static func read<Answer: APIAnswer>(_ body: [UInt8], of operation: APIOperation) throws(APIError)
        -> Answer
    {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument.object(body, maximumBytes: AppStoreServerClient.maximumBodyBytes)
        } catch {
            throw .unreadable("\(operation): the response is not a JSON object: \(error)", status: 200)
        }
        do throws(AnswerError) {
            var reader = AnswerReader(document.root)
            let answer = try Answer(reading: &reader)
            try reader.check()
            return answer
        } catch {
            throw .unreadable(
                "\(operation): the response does not match Apple's documentation: \(error.message)", status: 200)
        }
    }

    private func check() throws(AnswerError) {
        if let problem = fields.problems.first { throw AnswerError(message: problem.description) }
    }

    /// The object's JSON text, exactly as in the response.
    var bytes: [UInt8] { Array(element.bytes) }

    // MARK: Optional members

    mutating func string(_ name: StaticString) -> String? { fields.string(name) }

    mutating func integer(_ name: StaticString) -> Int64? { fields.int64(name) }

    mutating func bool(_ name: StaticString) -> Bool? { fields.bool(name) }

    mutating func instant(_ name: StaticString) -> AppStoreInstant? { fields.instant(name) }

    mutating func identifier<Identifier: AppStoreIdentifier>(_ name: StaticString) -> Identifier? {
        fields.identifier(name)
    }

    mutating func enumeration<Value: OpenEnumeration>(_ name: StaticString) -> Value? where Value.RawValue == String {
        fields.enumeration(name)
    }

    mutating func enumeration<Value: OpenEnumeration>(_ name: StaticString) -> Value? where Value.RawValue == Int32 {
        fields.enumeration(name)
    }

    /// Returns an array of strings, or an empty array if the member is absent.
    mutating func strings(_ name: StaticString) -> [String] { fields.strings(name) ?? [] }

    /// Returns an array of objects, or an empty array if the member is absent or null.
    mutating func objects<Part: APIAnswer>(_ name: StaticString) throws(AnswerError) -> [Part] {
        guard let array = fields.element(name), !array.isNull else { return [] }
        guard array.kind == .array else { throw AnswerError(message: "\(name): not a valid array") }
        var parts: [Part] = []
        for (index, element) in array.elements.enumerated() {
            let path = "\(name).\(index)"
            guard element.kind == .object else { throw AnswerError(message: "\(path): not a valid object") }
            var reader = AnswerReader(element, path: "\(path).")
            parts.append(try Part(reading: &reader))
            try reader.check()
        }
        return parts
    }

    // MARK: Required members

    mutating func required<Value>(
        _ name: StaticString, _ read: (inout AnswerReader) -> Value?
    ) throws(AnswerError) -> Value {
        let value = read(&self)
        try check()
        guard let value else { throw .absent(name) }
        return value
    }

    mutating func requiredString(_ name: StaticString) throws(AnswerError) -> String {
        try required(name) { $0.string(name) }
    }

    mutating func requiredBool(_ name: StaticString) throws(AnswerError) -> Bool {
        try required(name) { $0.bool(name) }
    }
}
