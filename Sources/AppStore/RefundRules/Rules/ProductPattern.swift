internal import AppStoreModel

/// A product id, or with a `*` at its end the beginning of one.
struct ProductPattern: Hashable, Sendable {
    private let text: String
    private let isPrefix: Bool

    /// Nil for an empty text and for a star elsewhere.
    init?(_ text: String) {
        isPrefix = text.hasSuffix("*")
        self.text = isPrefix ? String(text.dropLast()) : text
        guard BoundedText.accepts(text), !self.text.contains("*") else { return nil }
    }

    /// Bytes are compared, as for all identifiers. False for what is unknown.
    func matches(_ productId: ProductId?) -> Bool {
        guard let productId else { return false }
        return isPrefix
            ? productId.rawValue.utf8.starts(with: text.utf8) : productId.rawValue.utf8.elementsEqual(text.utf8)
    }

    /// Whether it matches everything that another matches.
    func covers(_ other: ProductPattern) -> Bool {
        isPrefix
            ? other.text.utf8.starts(with: text.utf8)
            : !other.isPrefix && other.text.utf8.elementsEqual(text.utf8)
    }
}
