/// Writes compact JSON text straight into bytes, for what is written too often to be built as a ``JSONValue`` first.
///
/// The caller sees to it that the text is JSON: a member inside an object, one value after each member's name. Commas
/// are the writer's.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reservingCapacity capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    // MARK: Values

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        elements(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    package mutating func string(_ text: String) {
        separate()
        JSONBytes.append(quoted: text, to: &bytes)
    }

    package mutating func integer(_ value: Int64) {
        separate()
        JSONBytes.append(value, to: &bytes)
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: value ? [0x74, 0x72, 0x75, 0x65] : [0x66, 0x61, 0x6C, 0x73, 0x65])
    }

    /// A value that is JSON text already.
    package mutating func text(_ json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    package mutating func value(_ value: JSONValue) { text(value.json) }

    // MARK: Members

    /// The name of a member, which needs no escapes; its value comes next.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    }

    /// As ``name(_:)``, whatever the name.
    package mutating func name(of text: String) {
        string(text)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Absent when nil, as all of these.
    package mutating func set(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    package mutating func set(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        bool(value)
    }

    package mutating func set(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.name(name)
        integer(value)
    }

    package mutating func set(_ name: StaticString, _ value: Int32?) { set(name, value.map { Int64($0) }) }

    package mutating func set(_ name: StaticString, _ value: AppStoreInstant?) {
        set(name, value?.millisecondsSince1970)
    }

    package mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    package mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        self.name(name)
        array(elements)
    }

    /// Members as they came, of names that the caller did not write.
    package mutating func add(_ members: JSONObject) {
        for member in members.members {
            name(of: member.name)
            value(member.value)
        }
    }

    /// A comma, unless a value begins here.
    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }
}
