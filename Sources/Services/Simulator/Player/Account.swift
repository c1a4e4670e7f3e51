/// A customer: one Apple Account that uses one app.
struct Account: Sendable {
    /// The app's own id for the customer.
    let appAccountToken: String
    /// Apple's id for the customer and the app.
    let appTransactionId: String
    let storefront: Storefront
    /// The build that the customer uses: Apple's `bundleVersion` and `applicationVersion`.
    let appVersion: String

    /// Creates the customer with this number. Equal seeds and numbers yield equal customers.
    init(number: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed, purpose: "account/\(number)")
        appAccountToken = generator.uuid()
        appTransactionId = generator.digits(prefix: "70", length: 18)
        storefront = Storefront.all.randomElement(using: &generator) ?? .unitedStates
        appVersion = String(40 + generator.next() % 5)
    }
}

/// A country's App Store.
struct Storefront: Sendable, Equatable {
    /// The ISO 3166-1 alpha-3 country code.
    let country: String
    let identifier: String
    /// The ISO 4217 currency code.
    let currency: String
    /// The exchange rate: milliunits of `currency` per 1000 milliunits of the US dollar.
    let rate: Int64

    static let unitedStates = Storefront(country: "USA", identifier: "143441", currency: "USD", rate: 1000)

    static let all = [
        unitedStates,
        Storefront(country: "DEU", identifier: "143443", currency: "EUR", rate: 1000),
        Storefront(country: "GBR", identifier: "143444", currency: "GBP", rate: 900),
        Storefront(country: "JPN", identifier: "143462", currency: "JPY", rate: 150_000),
        Storefront(country: "BRA", identifier: "143503", currency: "BRL", rate: 5000),
    ]

    /// Converts a price to this storefront's currency, in milliunits.
    func price(fromDollars price: Int64) -> Int64 {
        price * rate / 1000
    }
}
