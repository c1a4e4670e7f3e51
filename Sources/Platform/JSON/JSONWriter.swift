internal import Synchronization

/// Writes compact JSON directly as bytes, for code that writes too often to build a ``JSONValue`` first.
///
/// The caller must ensure that the text is valid: members only inside objects, and one value after each name. The
/// writer adds the commas.
package struct JSONWriter: Sendable {
    /// The buffer for the text. The first `count` bytes are in use.
    private var storage: [UInt8]
    private var count = 0

    /// Buffers for reuse: at most `spareBlocks` buffers of at most `spareBytes` bytes each.
    private static let spare = Mutex<[[UInt8]]>([])
    private static let spareBlocks = 8
    private static let spareBytes = 64 << 10

    package init(reservingCapacity capacity: Int = 256) { self.init(Array(repeating: 0, count: max(16, capacity))) }

    private init(_ storage: consuming [UInt8]) { self.storage = storage }

    /// Returns the text written by `write`, in an array of exactly the right size.
    package static func text(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(spare.withLock { $0.popLast() } ?? Array(repeating: 0, count: 4096))
        write(&writer)
        let text = writer.bytes
        var storage: [UInt8] = []
        swap(&storage, &writer.storage)
        if storage.count <= spareBytes { spare.withLock { if $0.count < spareBlocks { $0.append(storage) } } }
        return text
    }

    /// The text written so far.
    package var bytes: [UInt8] { Array(storage[..<count]) }

    // MARK: Values

    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        append(UInt8(ascii: "}"))
    }

    package mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        elements(&self)
        append(UInt8(ascii: "]"))
    }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            // Most strings need no escapes and are appended as a whole.
            if utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
                var quoted: [UInt8] = []
                JSONBytes.append(quoted: String(decoding: utf8, as: UTF8.self), to: &quoted)
                quoted.withUnsafeBytes { append($0, quoted: false) }
            } else {
                append(UnsafeRawBufferPointer(utf8), quoted: true)
            }
        }
    }

    /// Writes a string that needs no escapes.
    ///
    /// - Parameter fill: writes all `count` bytes of the string.
    package mutating func plainString(count length: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        makeRoom(for: length + 3)
        if needsComma { append(UInt8(ascii: ",")) }
        append(UInt8(ascii: "\""))
        let start = count
        storage.withUnsafeMutableBufferPointer { bytes in
            fill(UnsafeMutableBufferPointer(rebasing: bytes[start..<start + length]))
        }
        count += length
        append(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: Int64) {
        // A number needs at most a comma, a sign and 19 digits.
        makeRoom(for: 21)
        if needsComma { append(UInt8(ascii: ",")) }
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let end = count + Self.digitCount(of: rest)
        storage.withUnsafeMutableBytes { bytes in
            var position = end
            repeat {
                position -= 1
                bytes[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
        }
        count = end
    }

    private static func digitCount(of value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }

    package mutating func bool(_ value: Bool) {
        let text: StaticString = value ? "true" : "false"
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), quoted: false)
    }

    /// Writes a value that is already JSON text.
    package mutating func text(_ json: [UInt8]) { json.withUnsafeBytes { append($0, quoted: false) } }

    /// Writes a value that is already JSON text.
    package mutating func text(_ json: ArraySlice<UInt8>) { json.withUnsafeBytes { append($0, quoted: false) } }

    package mutating func null() { text(Array("null".utf8)) }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let number): text(Array(number.text.utf8))
        case .string(let text): string(text)
        case .array(let elements): array { for element in elements { $0.value(element) } }
        case .object(let object): self.object { $0.add(object) }
        }
    }

    // MARK: Members

    /// Writes a member name that needs no escapes. The value must follow.
    package mutating func name(_ name: StaticString) {
        let text = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        append(text, quoted: true)
        append(UInt8(ascii: ":"))
    }

    /// Writes any member name. The value must follow.
    package mutating func name(of text: String) {
        string(text)
        append(UInt8(ascii: ":"))
    }

    /// Writes a member unless the value is nil, as do the overloads below.
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

    package mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    package mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        self.name(name)
        array(elements)
    }

    /// Writes an object's members, with names that are known only at run time.
    package mutating func add(_ members: JSONObject) {
        for member in members.members {
            name(of: member.name)
            value(member.value)
        }
    }

    // MARK: Bytes

    private mutating func open(_ bracket: UInt8) {
        if needsComma { append(UInt8(ascii: ",")) }
        append(bracket)
    }

    /// Whether a comma is needed before the next value or name.
    private var needsComma: Bool {
        guard count > 0 else { return false }
        switch storage[count - 1] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): return false
        default: return true
        }
    }

    private mutating func append(_ byte: UInt8) {
        makeRoom(for: 1)
        storage[count] = byte
        count += 1
    }

    /// Appends a value or name, preceded by a comma if needed. This is the hot path, so the bytes are written together
    /// after one check for room.
    private mutating func append(_ text: UnsafeRawBufferPointer, quoted: Bool) {
        makeRoom(for: text.count + 3)
        let comma = needsComma
        let start = count
        storage.withUnsafeMutableBytes { bytes in
            var position = start
            if comma {
                bytes[position] = UInt8(ascii: ",")
                position += 1
            }
            if quoted {
                bytes[position] = UInt8(ascii: "\"")
                position += 1
            }
            UnsafeMutableRawBufferPointer(rebasing: bytes[position..<position + text.count]).copyMemory(from: text)
            if quoted { bytes[position + text.count] = UInt8(ascii: "\"") }
        }
        count = start + text.count + (comma ? 1 : 0) + (quoted ? 2 : 0)
    }

    private mutating func makeRoom(for further: Int) {
        // Appending the buffer to itself doubles its size with one memory copy; the duplicated content is overwritten
        // later.
        while storage.count - count < further { storage.append(contentsOf: storage) }
    }
}
