internal import AppStoreModel
internal import JSON

/// Reads the fields of one object in a legacy body.
///
/// Strings and identifiers are copied to keys, headers and payloads, so an invalid one is an error for the whole body.
/// An invalid date, number or flag is treated as absent and counted.
struct LegacyObject: Sendable {
    let element: JSONElement
    /// The number of fields that were sent but treated as absent.
    private(set) var ignoredFields = 0

    init(_ element: JSONElement) { self.element = element }

    /// Returns a member; `null` and empty strings are treated as absent.
    subscript(name: StaticString) -> JSONElement? {
        guard let value = element[name], !value.isNull else { return nil }
        return value.kind == .string && value.range.count == 2 ? nil : value
    }

    // MARK: Texts

    /// Returns a string, or a number exactly as written. The text must have 1 to 256 bytes and no control characters.
    func text(_ name: StaticString) throws(LegacyError) -> String? {
        guard let value = self[name] else { return nil }
        // Escaping expands a byte to at most six bytes (`\u0041`). The range includes the two quotes.
        guard value.range.count <= 6 * BoundedText.maximumBytes + 2 else {
            throw LegacyError(.text, "a string is too long")
        }
        guard let text = value.string ?? value.number?.text else {
            throw LegacyError(.receipt, "expected a string or a number")
        }
        guard BoundedText.accepts(text) else {
            throw LegacyError(.text, "a string is too long or has control characters")
        }
        return text
    }

    /// Returns a string, or a number exactly as written, or nil if the value has another type or does not meet the
    /// requirements of ``BoundedText``. Used only for identities.
    func spelling(_ name: StaticString) -> String? {
        guard let value = self[name], let text = value.string ?? value.number?.text else { return nil }
        return BoundedText.accepts(text) ? text : nil
    }

    func identifier<Identifier: AppStoreIdentifier>(_ name: StaticString) throws(LegacyError) -> Identifier? {
        try text(name).map { Identifier($0) }
    }

    /// Returns an identifier from Apple that becomes part of a key. It must consist only of digits, and may be sent as
    /// a number or a string.
    func number<Identifier: AppStoreIdentifier>(_ name: StaticString) throws(LegacyError) -> Identifier? {
        guard let text = try text(name) else { return nil }
        guard TextGrammar.isNumber(text) else {
            throw LegacyError(.text, "a transaction id has characters other than digits")
        }
        return Identifier(text)
    }

    // MARK: Values ignored if malformed

    /// Returns true for `true`, `"true"`, `"1"` and 1, and false for `false`, `"false"`, `"0"` and 0.
    mutating func flag(_ name: StaticString) -> Bool? {
        guard let value = self[name] else { return nil }
        switch value.string ?? value.number?.text {
        case "true", "1": return true
        case "false", "0": return false
        default: return value.bool ?? ignored()
        }
    }

    mutating func int32(_ name: StaticString) -> Int32? {
        guard let value = self[name] else { return nil }
        guard let number = wholeNumber(value), let number = Int32(exactly: number) else { return ignored() }
        return number
    }

    /// Returns the first of `X_ms`, `X` if it consists only of digits, `X_formatted`, and `X` in the form `yyyy-MM-dd
    /// HH:mm:ss Etc/GMT`. If the first one present is malformed, the others are not tried.
    mutating func date(_ name: LegacyDateName) -> AppStoreInstant? {
        if let milliseconds = self[name.milliseconds] { return instant(milliseconds) ?? ignored() }
        let plain = self[name.plain]
        if let plain, wholeNumber(plain) != nil { return instant(plain) ?? ignored() }
        guard let readable = self[name.formatted] ?? plain else { return nil }
        return LegacyGrammar.date(readable) ?? ignored()
    }

    private func instant(_ value: JSONElement) -> AppStoreInstant? {
        wholeNumber(value).flatMap { AppStoreInstant(millisecondsSince1970: $0) }
    }

    /// Returns a whole number that is not negative, sent as a number or as a string of digits; nil for anything else.
    private func wholeNumber(_ value: JSONElement) -> Int64? {
        guard value.kind == .string else { return value.integer.flatMap { $0 < 0 ? nil : $0 } }
        return LegacyGrammar.wholeNumber(value)
    }

    private mutating func ignored<Value>() -> Value? {
        ignoredFields += 1
        return nil
    }
}

/// The names of the members for one date.
struct LegacyDateName: Sendable {
    let milliseconds: StaticString
    let plain: StaticString
    let formatted: StaticString

    static let purchase = LegacyDateName(
        milliseconds: "purchase_date_ms", plain: "purchase_date", formatted: "purchase_date_formatted")
    static let originalPurchase = LegacyDateName(
        milliseconds: "original_purchase_date_ms", plain: "original_purchase_date",
        formatted: "original_purchase_date_formatted")
    static let expires = LegacyDateName(
        milliseconds: "expires_date_ms", plain: "expires_date", formatted: "expires_date_formatted")
    static let cancellation = LegacyDateName(
        milliseconds: "cancellation_date_ms", plain: "cancellation_date", formatted: "cancellation_date_formatted")
    static let gracePeriodExpires = LegacyDateName(
        milliseconds: "grace_period_expires_date_ms", plain: "grace_period_expires_date",
        formatted: "grace_period_expires_date_formatted")
    static let autoRenewStatusChange = LegacyDateName(
        milliseconds: "auto_renew_status_change_date_ms", plain: "auto_renew_status_change_date",
        formatted: "auto_renew_status_change_date_formatted")
}
