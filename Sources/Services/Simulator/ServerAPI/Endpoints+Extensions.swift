internal import AppStoreModel
internal import JSON

// Endpoints for renewal date extensions.
extension ServerAPIEnvironment {
    private static let yearMilliseconds = Duration.year.milliseconds
    private static let extensionsPerYear = 2

    mutating func extendRenewalDate(_ original: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        try Self.checkId(original, otherwise: .invalidOriginalTransactionId)
        let request = try ExtensionRequest(input.body, isForAll: false)
        guard store.purchases[original] != nil else { throw .originalTransactionIdNotFound }
        let current = try extensible(original, now: input.now)
        let effectiveDate = extend(original, current, by: request.days, now: input.now)
        var body = JSONObject()
        body.put("originalTransactionId", original)
        body.put("webOrderLineItemId", current["webOrderLineItemId"]?.string)
        body.put("success", true)
        body.put("effectiveDate", effectiveDate)
        var outcome = Outcome.answer(body)
        if let id = current["transactionId"]?.string,
            let notification = notification(.renewalExtended, about: id, now: input.now)
        {
            outcome.notifications = [notification]
        }
        return outcome
    }

    mutating func massExtension(_ input: Input) throws(ServerAPIError) -> Outcome {
        let request = try ExtensionRequest(input.body, isForAll: true)
        var counts: (succeeded: Int64, failed: Int64) = (0, 0)
        for original in store.renewals.keys.sorted() {
            guard let current = store.currentTransaction(of: original)?.payload,
                current["productId"]?.string == request.productId, request.includes(current["storefront"]?.string),
                store.status(of: original, at: input.now) == 1
            else { continue }
            if let current = try? extensible(original, now: input.now) {
                _ = extend(original, current, by: request.days, now: input.now)
                counts.succeeded += 1
            } else {
                counts.failed += 1
            }
        }
        let result = MassExtension(completeDate: input.now, succeeded: counts.succeeded, failed: counts.failed)
        store.massExtensions[Self.key(request.productId, request.requestIdentifier)] = result
        var body = JSONObject()
        body.put("requestIdentifier", request.requestIdentifier)
        var outcome = Outcome.answer(body)
        outcome.notifications = [summary(of: request, result)]
        return outcome
    }

    func massExtensionStatus(productId: String, requestIdentifier: String) throws(ServerAPIError) -> Outcome {
        guard ExtensionRequest.isIdentifier(requestIdentifier) else { throw .invalidRequestIdentifier }
        guard let result = store.massExtensions[Self.key(productId, requestIdentifier)] else {
            throw .statusRequestNotFound
        }
        var body = JSONObject()
        body.put("requestIdentifier", requestIdentifier)
        body.put("complete", true)
        body.put("completeDate", result.completeDate)
        body.put("succeededCount", result.succeeded)
        body.put("failedCount", result.failed)
        return .answer(body)
    }

    private static func key(_ productId: String, _ requestIdentifier: String) -> String {
        productId + "/" + requestIdentifier
    }

    /// Returns the purchase's current transaction. Throws Apple's error if its period cannot be extended.
    private func extensible(_ original: String, now: Int64) throws(ServerAPIError) -> JSONObject {
        guard let current = store.currentTransaction(of: original)?.payload, store.renewals[original] != nil else {
            throw .extensionIneligible
        }
        guard !ConsumptionTransaction(current).isFamilyShared else { throw .familyExtensionIneligible }
        guard !ConsumptionTransaction(current).isAssigned else { throw .assignedExtensionIneligible }
        guard store.status(of: original, at: now) == 1, current["offerDiscountType"]?.string != "FREE_TRIAL" else {
            throw .extensionIneligible
        }
        let recent = (store.extensions[original] ?? []).filter { $0 > now - Self.yearMilliseconds }
        guard recent.count < Self.extensionsPerYear else { throw .maximumExtensions }
        return current
    }

    /// - Returns: the new renewal date.
    private mutating func extend(_ original: String, _ current: JSONObject, by days: Int64, now: Int64) -> Int64 {
        // A test may register any date, so the sum may overflow.
        let (sum, overflow) = ServerAPIStore.date(current, "expiresDate")
            .addingReportingOverflow(Duration.days(days).milliseconds)
        let date = overflow ? .max : sum
        if let id = current["transactionId"]?.string { store.change(id) { $0.put("expiresDate", date) } }
        store.changeRenewal(original) { $0.put("renewalDate", date) }
        store.extensions[original, default: []].append(now)
        return date
    }

    private func summary(of request: ExtensionRequest, _ result: MassExtension) -> UnsignedNotification {
        var summary = app.identity
        summary.put("requestIdentifier", request.requestIdentifier)
        summary.put("productId", request.productId)
        summary.put("storefrontCountryCodes", request.storefronts)
        summary.put("succeededCount", result.succeeded)
        summary.put("failedCount", result.failed)
        return notification(
            .renewalExtension, .summary, containerName: "summary", container: summary,
            subject: request.requestIdentifier, now: result.completeDate)
    }
}
