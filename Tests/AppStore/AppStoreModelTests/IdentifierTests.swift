import AppStoreModel
import Testing

@Suite struct IdentifierTests {
    /// Swift considers the texts of each pair equal.
    @Test(arguments: [("com.example.K", "com.example.\u{212A}"), ("caf\u{E9}", "cafe\u{301}")])
    func `identifiers are equal if their bytes are equal`(_ one: String, _ other: String) {
        #expect(one == other)
        #expect(BundleId(one) != BundleId(other))
        #expect(ProductId(one) != ProductId(other))
        #expect(Set([BundleId(one), BundleId(other)]).count == 2)
        #expect((BundleId(one) < BundleId(other)) != (BundleId(other) < BundleId(one)))
        #expect(BundleId(one) == BundleId(String(decoding: Array(one.utf8), as: UTF8.self)))
        #expect([BundleId(other): 1][BundleId(other)] == 1)
    }
}
