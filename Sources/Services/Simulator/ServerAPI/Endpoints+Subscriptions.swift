internal import AppStoreModel
internal import JSON

// All subscriptions of a customer.
extension ServerAPIEnvironment {
    func subscriptionStatuses(_ id: String, _ input: Input) throws(ServerAPIError) -> Outcome {
        try input.query.checkNames(["status"])
        var wanted: Set<Int64> = []
        for text in input.query.values("status") {
            guard let status = Int64(text), (1...5).contains(status) else { throw .invalidStatus }
            wanted.insert(status)
        }
        let customer = try customer(of: id)
        var groups: [(identifier: String, subscriptions: [JSONObject])] = []
        for original in originals(ofCustomer: customer) {
            guard let renewal = store.renewals[original], let current = store.currentTransaction(of: original) else {
                continue
            }
            let status = store.status(of: original, at: input.now)
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            var subscription = JSONObject()
            subscription.put("originalTransactionId", original)
            subscription.put("status", status)
            subscription.put("signedTransactionInfo", try sign(current, now: input.now))
            subscription.put(
                "signedRenewalInfo", try sign(renewal.payload, isVerbatim: renewal.isVerbatim, now: input.now))
            let group = current.payload["subscriptionGroupIdentifier"]?.string ?? ""
            if let index = groups.firstIndex(where: { $0.identifier == group }) {
                groups[index].subscriptions.append(subscription)
            } else {
                groups.append((group, [subscription]))
            }
        }
        var body = app.identity
        body.put(
            "data",
            groups.map { identifier, subscriptions in
                var group = JSONObject()
                group.put("subscriptionGroupIdentifier", identifier)
                group.put("lastTransactions", subscriptions)
                return group
            })
        return .answer(body)
    }

    private func originals(ofCustomer customer: String) -> [String] {
        var originals: [String] = []
        for transaction in store.transactions(ofCustomer: customer) {
            guard let original = transaction.payload["originalTransactionId"]?.string, !originals.contains(original)
            else { continue }
            originals.append(original)
        }
        return originals
    }
}

// Extensions of renewal dates.
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

    /// The transaction whose period can be extended.
    private func extensible(_ original: String, now: Int64) throws(ServerAPIError) -> JSONObject {
        guard let current = store.currentTransaction(of: original)?.payload, store.renewals[original] != nil else {
            throw .extensionIneligible
        }
        guard !ConsumptionTransaction(current).isFamilyShared else { throw .familyExtensionIneligible }
        guard store.status(of: original, at: now) == 1, current["offerDiscountType"]?.string != "FREE_TRIAL" else {
            throw .extensionIneligible
        }
        let recent = (store.extensions[original] ?? []).filter { $0 > now - Self.yearMilliseconds }
        guard recent.count < Self.extensionsPerYear else { throw .maximumExtensions }
        return current
    }

    /// - Returns: the new date of renewal.
    private mutating func extend(_ original: String, _ current: JSONObject, by days: Int64, now: Int64) -> Int64 {
        // A test may register any date.
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

/// The body of both requests for extensions (Apple: ExtendRenewalDateRequest, MassExtendRenewalDateRequest).
struct ExtensionRequest {
    private static let members: Set<String> = ["extendByDays", "extendReasonCode", "requestIdentifier"]
    private static let maximumIdentifierBytes = 128

    let days: Int64
    let requestIdentifier: String
    /// Empty for one subscription.
    let productId: String
    /// `nil`: all.
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
