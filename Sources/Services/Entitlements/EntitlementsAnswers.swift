internal import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import Records

/// The rows that match one query.
struct EntitlementsFinding: Sendable {
    let query: EntitlementsQuery
    /// The matching purchases, sorted by environment and then by key.
    let purchases: [PurchaseFacts]
    /// Consent rows of the customers who made the purchases, and of the customer named in the query.
    let consents: [PurchaseFacts]

    /// - Parameters:
    ///   - states: the subject's rows: purchases and consents.
    ///   - consents: the consent rows of the customers who made the purchases.
    init(query: EntitlementsQuery, purchases states: [PurchaseFacts], consents: [PurchaseFacts] = []) {
        self.query = query
        purchases = states.filter { !$0.isConsent }
        let named = states.filter(\.isConsent)
        self.consents = named + consents.filter { !named.contains($0) }
    }
}

/// Encodes the response bodies of the read API.
struct EntitlementsAnswers {
    let rules: ProductRules
    /// How far the input has been read.
    let input: InputFreshness

    /// Encodes the entitlements of a subject at the requested time, or now.
    ///
    /// - Returns: the body without times, which changes only if the answer changes, and the complete body.
    func entitlements(
        _ finding: EntitlementsFinding, at now: AppStoreInstant
    ) -> (timeless: [UInt8], body: [UInt8]) {
        let answer = evaluate(finding, at: now)
        func text(isTimeless: Bool) -> [UInt8] {
            var writer = JSONWriter(reservingCapacity: 1024)
            writer.object { write(finding, answer, at: now, isTimeless: isTimeless, to: &$0) }
            return writer.bytes
        }
        return (text(isTimeless: true), text(isTimeless: false))
    }

    /// Encodes the answers to several queries in one body, in order. Each answer has the same members as the complete
    /// body of ``entitlements(_:at:)``.
    func batch(_ findings: [EntitlementsFinding], at now: AppStoreInstant) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { body in
            body.array(ReadAPIName.answers) { array in
                for finding in findings {
                    array.object { write(finding, evaluate(finding, at: now), at: now, isTimeless: false, to: &$0) }
                }
            }
        }
        return writer.bytes
    }

    private func evaluate(_ finding: EntitlementsFinding, at now: AppStoreInstant) -> EntitlementAnswer {
        let instant = finding.query.at ?? now
        let environments = finding.query.environments.environments
        let rules = rules.reading(until: input.receivedUntil(finding.purchases))
        return EntitlementAnswer.union(
            of: environments.map { environment in
                EntitlementAnswer(
                    purchases: finding.purchases, environment: environment, at: instant, rules: rules,
                    // Evaluate a past time using the facts known at that time.
                    view: instant < now ? .history : .newestFacts)
            }, at: instant)
    }

    private func write(
        _ finding: EntitlementsFinding, _ answer: EntitlementAnswer, at now: AppStoreInstant, isTimeless: Bool,
        to body: inout JSONWriter
    ) {
        writeSubject(finding, to: &body)
        writeAge(of: finding.query.environments.environments, at: now, isTimeless: isTimeless, to: &body)
        answer.writeTimeless(to: &body)
        body.set(ReadAPIName.trust, answer.trust.rawValue)
        body.array(ReadAPIName.purchases) { array in
            for purchase in finding.purchases {
                array.object { object in
                    writeIdentity(of: purchase, at: answer.asOf, to: &object)
                    writeVersion(of: purchase, at: finding.query.at ?? now, isTimeless, to: &object)
                }
            }
        }
        finding.writeConsents(to: &body)
    }

    /// Writes `asOf`, the time up to which the input has been read, and `stale` if that time is too long ago.
    private func writeAge(
        of environments: [AppStoreEnvironment], at now: AppStoreInstant, isTimeless: Bool, to body: inout JSONWriter
    ) {
        let age = input.age(of: environments, at: now) ?? FactsAge(asOf: InputFreshness.unknown, isStale: true)
        if !isTimeless { body.set(ReadAPIName.asOf, age.asOf) }
        if age.isStale { body.set(ReadAPIName.stale, true) }
    }

    /// Encodes the history of a subject's purchases, as far back as their events are kept.
    ///
    /// - Returns: the body without the time, and the complete body.
    func history(_ finding: EntitlementsFinding, at now: AppStoreInstant) -> (timeless: [UInt8], body: [UInt8]) {
        (history(finding, at: now, isTimeless: true), history(finding, at: now, isTimeless: false))
    }

    private func history(_ finding: EntitlementsFinding, at now: AppStoreInstant, isTimeless: Bool) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { body in
            writeSubject(finding, to: &body)
            writeAge(of: finding.query.environments.environments, at: now, isTimeless: isTimeless, to: &body)
            body.array(ReadAPIName.purchases) { array in
                for purchase in finding.purchases {
                    array.object { object in
                        writeIdentity(of: purchase, at: now, to: &object)
                        writeVersion(of: purchase, at: now, isTimeless, to: &object)
                        object.array(ReadAPIName.transitions) { array in
                            for transition in purchase.transitions(rules) {
                                array.object { transition.write(to: &$0) }
                            }
                        }
                        object.array(ReadAPIName.events) { array in
                            for event in purchase.allEvents { array.object { event.write(to: &$0) } }
                        }
                    }
                }
            }
            finding.writeConsents(to: &body)
        }
        return writer.bytes
    }

    /// Encodes a page of purchases and the cursor for the next page.
    func purchases(_ query: PurchasesQuery, _ purchases: [PurchaseFacts], hasMore: Bool, at instant: AppStoreInstant)
        -> [UInt8]
    {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { body in
            body.set(ReadAPIName.environment, query.environment.rawValue)
            writeAge(of: [query.environment], at: instant, isTimeless: false, to: &body)
            body.array(ReadAPIName.purchases) { array in
                for purchase in purchases where !purchase.isConsent {
                    array.object { object in
                        writeIdentity(of: purchase, at: instant, to: &object)
                        writeVersion(of: purchase, at: instant, false, to: &object)
                        writeSummary(of: purchase, at: instant, to: &object)
                    }
                }
            }
            if hasMore, let last = purchases.last {
                body.set(ReadAPIName.next, RecordKey.purchase(last.bundleId, last.originalTransactionId))
            }
        }
        return writer.bytes
    }

    /// Encodes the result of a claim or an erasure.
    func changed(_ purchase: PurchaseFacts, at now: AppStoreInstant) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { body in
            writeIdentity(of: purchase, at: now, to: &body)
            body.set(ReadAPIName.erasedAt, purchase.erasedAt)
        }
        return writer.bytes
    }

    private func writeSubject(_ finding: EntitlementsFinding, to body: inout JSONWriter) {
        body.set(ReadAPIName.environment, finding.query.environments.text)
        body.set(finding.query.subject.name, finding.query.subject.text)
        body.set(ReadAPIName.known, !finding.purchases.isEmpty || !finding.consents.isEmpty)
    }

    private func writeIdentity(
        of purchase: PurchaseFacts, at instant: AppStoreInstant, to object: inout JSONWriter
    ) {
        object.set(ReadAPIName.environment, purchase.environment.rawValue)
        object.set(ReadAPIName.bundleId, purchase.bundleId.rawValue)
        object.set(ReadAPIName.originalTransactionId, purchase.originalTransactionId.rawValue)
        object.set(ReadAPIName.appAccountToken, purchase.owner(at: instant)?.rawValue)
        object.set(ReadAPIName.appTransactionId, purchase.appTransactionId?.rawValue)
        object.set(ReadAPIName.previousOriginalTransactionId, purchase.previousOriginalTransactionId?.rawValue)
        if purchase.awaitsConfirmation(rules.legacyTrust) { object.set(ReadAPIName.awaitsConfirmation, true) }
        if !purchase.successors.isEmpty {
            object.array(ReadAPIName.migratedTo) { array in
                for id in purchase.successors.keys.sorted() { array.string(id.rawValue) }
            }
        }
    }

    /// Writes the version that the topic's records and webhooks also contain. With `isTimeless`, the version does not
    /// depend on the time of the response.
    private func writeVersion(
        of purchase: PurchaseFacts, at instant: AppStoreInstant, _ isTimeless: Bool, to object: inout JSONWriter
    ) {
        object.set(ReadAPIName.version, purchase.version(at: isTimeless ? InputFreshness.unknown : instant))
    }

    private func writeSummary(of purchase: PurchaseFacts, at instant: AppStoreInstant, to object: inout JSONWriter) {
        let answer = EntitlementAnswer(
            purchases: [purchase], environment: purchase.environment, at: instant,
            rules: rules.reading(until: input.receivedUntil([purchase])))
        let productId = answer.grants.last?.productId ?? answer.balances.last?.productId
        object.set(ReadAPIName.productId, productId?.rawValue)
        object.set(ReadAPIName.state, answer.grants.last?.state)
        object.array(ReadAPIName.active) { for name in answer.active.sorted() { $0.string(name) } }
        object.set(ReadAPIName.latestSignedDate, purchase.latestSignedDate)
    }
}
