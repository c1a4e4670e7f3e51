/// Why a text is not accepted as JSON.
///
/// Equality compares the code and the offset.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault. Closed: the scanner knows no other.
    public enum Code: String, Sendable, CaseIterable {
        /// There is nothing but white space.
        case empty
        /// The text is longer than the caller allows.
        case tooLong = "too_long"
        /// The text begins with a byte order mark (RFC 8259, 8.1).
        case byteOrderMark = "byte_order_mark"
        /// A byte that the grammar does not allow here.
        case syntax
        /// The text ends inside a value.
        case unexpectedEnd = "unexpected_end"
        /// Overlong forms, encoded surrogates, code points above U+10FFFF, torn sequences.
        case invalidUTF8 = "invalid_utf8"
        /// A byte below 0x20 inside a string.
        case controlCharacter = "control_character"
        /// A backslash followed by something else than RFC 8259 lists.
        case invalidEscape = "invalid_escape"
        /// `\uD800`…`\uDFFF` that is not half of a pair.
        case loneSurrogate = "lone_surrogate"
        /// More containers inside each other than the caller allows.
        case tooDeep = "too_deep"
        /// More names of members in the whole text than the caller allows.
        case tooManyNames = "too_many_names"
        /// More elements of arrays in the whole text than the caller allows.
        case tooManyElements = "too_many_elements"
        /// More members in one object than the caller allows.
        case tooManyMembers = "too_many_members"
        /// Two members of one object have the same name once escapes are resolved.
        case duplicateName = "duplicate_name"
        /// Something follows the value.
        case trailingBytes = "trailing_bytes"
        /// The text is JSON, but not an object.
        case notAnObject = "not_an_object"
    }

    public var code: Code
    /// Where, in bytes from the start of the text.
    public var offset: Int

    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    public var description: String { "\(code.rawValue) at byte \(offset)" }
}
