package import AppStoreModel

extension AppStoreServerClient {
    /// Extend a Subscription Renewal Date. Apple allows this at most twice per customer within 365 days.
    ///
    /// - Throws: ``APIError``.
    package func extendSubscriptionRenewalDate(
        of id: OriginalTransactionId, _ request: RenewalDateExtensionRequest, _ scope: APIScope
    ) async throws(APIError) -> RenewalDateExtension {
        try await answer(
            APIRequest(.extendSubscriptionRenewalDate, id.rawValue, body: request.body), to: scope)
    }

    /// Extend Subscription Renewal Dates for All Active Subscribers of a product. This cannot be undone.
    ///
    /// - Parameter storefronts: three-letter codes, or nil for all storefronts.
    /// - Throws: ``APIError``.
    package func extendRenewalDatesForAllActiveSubscribers(
        of productId: ProductId, in storefronts: [String]?, _ request: RenewalDateExtensionRequest, _ scope: APIScope
    ) async throws(APIError) -> MassExtension {
        try await answer(
            APIRequest(
                .extendRenewalDatesForAllActiveSubscribers,
                body: request.body(productId: productId, storefronts: storefronts)), to: scope)
    }

    /// Get Status of Subscription Renewal Date Extensions.
    ///
    /// - Throws: ``APIError``, with code 4040009 if Apple has no such request.
    package func getStatusOfRenewalDateExtensions(
        _ requestIdentifier: RequestIdentifier, of productId: ProductId, _ scope: APIScope
    ) async throws(APIError) -> MassExtensionStatus {
        try await answer(
            APIRequest(.getStatusOfRenewalDateExtensions, productId.rawValue, requestIdentifier.rawValue), to: scope)
    }
}
