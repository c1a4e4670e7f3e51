/// The reason text was rejected as JSON.
///
/// Two errors are equal if their codes and offsets are equal.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. This set is closed.
    public enum Code: String, Sendable, CaseIterable {
        /// The text is empty or contains only whitespace.
        case empty
        /// The text is longer than allowed.
        case tooLong = "too_long"
        /// The text begins with a byte order mark (RFC 8259, 8.1).
        case byteOrderMark = "byte_order_mark"
        /// The grammar does not allow this byte at this position.
        case syntax
        /// The text ends inside a value.
        case unexpectedEnd = "unexpected_end"
        /// The text contains an overlong form, an encoded surrogate, a code point above U+10FFFF or an incomplete
        /// sequence.
        case invalidUTF8 = "invalid_utf8"
        /// A string contains a byte below 0x20.
        case controlCharacter = "control_character"
        /// A backslash is followed by a character that RFC 8259 does not list.
        case invalidEscape = "invalid_escape"
        /// A surrogate escape (`\uD800`…`\uDFFF`) is not part of a pair.
        case loneSurrogate = "lone_surrogate"
        /// Containers are nested more deeply than allowed.
        case tooDeep = "too_deep"
        /// The whole text has more member names than allowed.
        case tooManyNames = "too_many_names"
        /// The whole text has more array elements than allowed.
        case tooManyElements = "too_many_elements"
        /// An object has more members than allowed.
        case tooManyMembers = "too_many_members"
        /// Two members of an object have the same name after escapes are resolved.
        case duplicateName = "duplicate_name"
        /// More text follows the value.
        case trailingBytes = "trailing_bytes"
        /// The value is not an object.
        case notAnObject = "not_an_object"
    }

    public var code: Code
    /// The position of the error in bytes from the start of the text.
    public var offset: Int

    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    public var description: String { "\(code.rawValue) at byte \(offset)" }
}
