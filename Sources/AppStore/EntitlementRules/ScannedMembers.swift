internal import AppStoreModel
internal import JSON

/// A member of an object in a record, read without decoding the object into its model type.
protocol ScannedName: CaseIterable, RawRepresentable, Sendable where RawValue == Int, AllCases == [Self] {
    /// The documented form of the value.
    var form: ScannedForm { get }
    static var table: ScannedTable { get }
}

/// The documented form of a member. Only values in canonical form match.
enum ScannedForm: Sendable {
    case text
    /// A stored string of at most ``FactsBounds/textBytes`` bytes.
    case keptText
    /// A string that is compared case-insensitively. Its canonical form is lowercase.
    case token
    case bool
    /// A time in milliseconds since 1970.
    case instant
    /// A whole number without sign, fraction or exponent, within a range.
    case number(ClosedRange<Int64>)
    case object
    /// A member that must be absent. If it is present, the object is not scanned but decoded into its full model type.
    case absent

    static let number32 = number(0...Int64(Int32.max))
    static let number64 = number(0...Int64.max)
}

/// The names and forms of the members of an object.
struct ScannedTable: Sendable {
    let names: JSONMemberTable
    let forms: [ScannedForm]
    /// The quoted names, each followed by a colon, indexed by member number.
    let prefixes: [[UInt8]]

    init<Name: ScannedName>(_: Name.Type) {
        // The cases have the same names as Apple's members.
        let texts = Name.allCases.map { "\($0)" }
        names = JSONMemberTable(texts)
        forms = Name.allCases.map(\.form)
        prefixes = texts.map { Array("\"\($0)\":".utf8) }
    }
}

/// The members that are needed from an object in a record, found in a single pass. `null` is treated as absent.
struct ScannedMembers<Name: ScannedName> {
    private let document: JSONDocument
    private var values: JSONMemberTable.Values

    /// Returns nil if any member differs from its documented form. In that case, the object must be decoded into its
    /// full model type.
    init?(_ element: JSONElement) {
        guard element.kind == .object,
            let values = Name.table.names.values(of: element.index, in: element.document)
        else { return nil }
        document = element.document
        self.values = values
        for number in Name.table.forms.indices where values[number] != 0 {
            let value = Int(values[number])
            if document.nodes[value].kind == .null {
                self.values[number] = 0
            } else if !hasForm(Name.table.forms[number], value) {
                return nil
            }
        }
    }

    private func hasForm(_ form: ScannedForm, _ value: Int) -> Bool {
        let node = document.nodes[value]
        switch form {
        case .text: return node.kind == .string && !node.hasEscapes
        case .keptText:
            return node.kind == .string && !node.hasEscapes && Int(node.end - node.start) <= FactsBounds.textBytes
        case .token:
            return node.kind == .string && !node.hasEscapes && isLower(Int(node.start)..<Int(node.end))
        case .bool: return node.kind == .bool
        case .instant:
            return document.plainInteger(of: value).flatMap(AppStoreInstant.init(millisecondsSince1970:)) != nil
        case .number(let range): return document.plainInteger(of: value).map(range.contains) ?? false
        case .object: return node.kind == .object
        case .absent: return false
        }
    }

    private func isLower(_ range: Range<Int>) -> Bool {
        document.bytes[range].allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    // MARK: Values

    private func value(_ name: Name) -> Int? {
        let value = values[name.rawValue]
        return value == 0 ? nil : Int(value)
    }

    /// The UTF-8 bytes of a string.
    func bytes(_ name: Name) -> ArraySlice<UInt8>? { value(name).map { document.textBytes(of: $0) } }

    func string(_ name: Name) -> String? { value(name).map { document.text(of: $0) } }

    func identifier<Identifier: AppStoreIdentifier>(_ name: Name) -> Identifier? {
        string(name).map { Identifier(rawValue: $0) }
    }

    func enumeration<Value: OpenEnumeration>(_ name: Name) -> Value? where Value.RawValue == String {
        string(name).map { Value(rawValue: $0) }
    }

    func enumeration<Value: OpenEnumeration>(_ name: Name) -> Value? where Value.RawValue == Int32 {
        int32(name).map { Value(rawValue: $0) }
    }

    func bool(_ name: Name) -> Bool? {
        value(name).map { document.bytes[Int(document.nodes[$0].start)] == UInt8(ascii: "t") }
    }

    func integer(_ name: Name) -> Int64? { value(name).flatMap { document.plainInteger(of: $0) } }

    func int32(_ name: Name) -> Int32? { integer(name).flatMap { Int32(exactly: $0) } }

    func instant(_ name: Name) -> AppStoreInstant? {
        integer(name).flatMap { AppStoreInstant(millisecondsSince1970: $0) }
    }

    func element(_ name: Name) -> JSONElement? { value(name).map { JSONElement(document: document, index: $0) } }

    // MARK: Text

    /// Treats a member as absent.
    mutating func remove(_ name: Name) { values[name.rawValue] = 0 }

    /// Appends members to the text of an object in the given order, exactly as in the record.
    func copy(_ names: [Name], to text: inout [UInt8]) {
        for name in names {
            guard let value = value(name) else { continue }
            if text.last != UInt8(ascii: "{") { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: Name.table.prefixes[name.rawValue])
            text.append(contentsOf: document.valueBytes(of: value))
        }
    }
}
