internal import JSON

/// The body of either extension request (Apple's ExtendRenewalDateRequest and MassExtendRenewalDateRequest).
struct ExtensionRequest {
    private static let members: Set<String> = ["extendByDays", "extendReasonCode", "requestIdentifier"]
    private static let maximumIdentifierBytes = 128

    let days: Int64
    let requestIdentifier: String
    /// The product id, empty in a request for a single subscription.
    let productId: String
    /// The storefronts to include, or `nil` for all.
    let storefronts: [String]?

    init(_ body: [UInt8], isForAll: Bool) throws(ServerAPIError) {
        let members = isForAll ? Self.members.union(["storefrontCountryCodes", "productId"]) : Self.members
        let object = try RequestBody.object(body, members: members, otherwise: .generalBadRequest)
        guard let days = object["extendByDays"]?.integer, (1...90).contains(days) else { throw .invalidExtendByDays }
        guard let reason = object["extendReasonCode"]?.integer, (0...3).contains(reason) else {
            throw .invalidExtendReasonCode
        }
        guard let identifier = object["requestIdentifier"]?.string, Self.isIdentifier(identifier) else {
            throw .invalidRequestIdentifier
        }
        self.days = days
        requestIdentifier = identifier
        storefronts = try Self.storefronts(object)
        guard isForAll else {
            productId = ""
            return
        }
        guard let productId = object["productId"]?.string, !productId.isEmpty else { throw .invalidProductId }
        self.productId = productId
    }

    func includes(_ storefront: String?) -> Bool {
        guard let storefronts else { return true }
        return storefront.map { storefronts.contains($0) } ?? false
    }

    static func isIdentifier(_ text: String) -> Bool { (1...maximumIdentifierBytes).contains(text.utf8.count) }

    private static func storefronts(_ object: JSONObject) throws(ServerAPIError) -> [String]? {
        guard let value = object["storefrontCountryCodes"] else { return nil }
        guard let elements = value.array else { throw .invalidStorefrontCountryCode }
        guard !elements.isEmpty else { throw .emptyStorefrontCountryCodes }
        let codes = elements.compactMap(\.string).filter { code in
            code.utf8.count == 3 && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        }
        guard codes.count == elements.count else { throw .invalidStorefrontCountryCode }
        return codes
    }
}
