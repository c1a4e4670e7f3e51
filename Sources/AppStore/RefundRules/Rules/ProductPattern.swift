internal import AppStoreModel

/// A product ID, or a prefix of product IDs followed by `*`.
struct ProductPattern: Hashable, Sendable {
    private let text: String
    private let isPrefix: Bool

    /// Returns nil if the text does not meet the requirements of ``BoundedText`` or has a star before the end.
    init?(_ text: String) {
        isPrefix = text.hasSuffix("*")
        self.text = isPrefix ? String(text.dropLast()) : text
        guard BoundedText.accepts(text), !self.text.contains("*") else { return nil }
    }

    /// Returns whether the pattern matches, or false if the product is unknown. Bytes are compared, as for all
    /// identifiers.
    func matches(_ productId: ProductId?) -> Bool {
        guard let productId else { return false }
        return isPrefix
            ? productId.rawValue.utf8.starts(with: text.utf8) : productId.rawValue.utf8.elementsEqual(text.utf8)
    }

    /// Returns whether this pattern matches everything that `other` matches.
    func covers(_ other: ProductPattern) -> Bool {
        isPrefix
            ? other.text.utf8.starts(with: text.utf8)
            : !other.isPrefix && other.text.utf8.elementsEqual(text.utf8)
    }
}
