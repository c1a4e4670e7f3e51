internal import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import Records

/// The bodies of the read API's answers.
struct EntitlementsAnswers {
    let rules: ProductRules

    /// What a subject may use at a moment.
    ///
    /// - Parameter isTimeless: without the moment, so that texts are equal as long as the answer is.
    func entitlements(
        _ query: EntitlementsQuery, _ purchases: [PurchaseFacts], _ answer: EntitlementAnswer, isTimeless: Bool
    ) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { body in
            writeSubject(query, to: &body)
            if isTimeless { answer.writeTimeless(to: &body) } else { answer.write(to: &body) }
            body.array(ReadAPIName.purchases) { array in
                for purchase in purchases { array.object { writeIdentity(of: purchase, to: &$0) } }
            }
        }
        return writer.bytes
    }

    /// What happened to the purchases of a subject, as far as their events are kept.
    func history(_ query: EntitlementsQuery, _ purchases: [PurchaseFacts]) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { body in
            writeSubject(query, to: &body)
            body.array(ReadAPIName.purchases) { array in
                for purchase in purchases {
                    array.object { object in
                        writeIdentity(of: purchase, to: &object)
                        object.array(ReadAPIName.transitions) { array in
                            for transition in purchase.transitions(rules) {
                                array.object { transition.write(to: &$0) }
                            }
                        }
                        object.array(ReadAPIName.events) { array in
                            for event in purchase.events { array.object { event.write(to: &$0) } }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// A page of purchases, with the key that the next one begins after.
    func purchases(_ query: PurchasesQuery, _ purchases: [PurchaseFacts], hasMore: Bool, at instant: AppStoreInstant)
        -> [UInt8]
    {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { body in
            body.set(ReadAPIName.environment, query.environment.rawValue)
            body.set(ReadAPIName.asOf, instant)
            body.array(ReadAPIName.purchases) { array in
                for purchase in purchases {
                    array.object { object in
                        writeIdentity(of: purchase, to: &object)
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

    /// What became of a claim or an erasure.
    func changed(_ request: ChangeRequest, _ purchase: PurchaseFacts) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { body in
            body.set(ReadAPIName.environment, request.environment.rawValue)
            writeIdentity(of: purchase, to: &body)
            body.set(ReadAPIName.erasedAt, purchase.erasedAt)
        }
        return writer.bytes
    }

    private func writeSubject(_ query: EntitlementsQuery, to body: inout JSONWriter) {
        body.set(ReadAPIName.environment, query.environment.rawValue)
        body.set(query.subject.name, query.subject.text)
    }

    private func writeIdentity(of purchase: PurchaseFacts, to object: inout JSONWriter) {
        object.set(ReadAPIName.bundleId, purchase.bundleId.rawValue)
        object.set(ReadAPIName.originalTransactionId, purchase.originalTransactionId.rawValue)
        object.set(ReadAPIName.appAccountToken, purchase.appAccountToken?.rawValue)
        object.set(ReadAPIName.appTransactionId, purchase.appTransactionId?.rawValue)
        object.set(ReadAPIName.previousOriginalTransactionId, purchase.previousOriginalTransactionId?.rawValue)
        if !purchase.successors.isEmpty {
            object.array(ReadAPIName.migratedTo) { array in
                for id in purchase.successors.keys.sorted() { array.string(id.rawValue) }
            }
        }
    }

    private func writeSummary(of purchase: PurchaseFacts, at instant: AppStoreInstant, to object: inout JSONWriter) {
        let answer = EntitlementAnswer(
            purchases: [purchase], environment: purchase.environment, at: instant, rules: rules)
        let productId = answer.grants.last?.productId ?? answer.balances.last?.productId
        object.set(ReadAPIName.productId, productId?.rawValue)
        object.set(ReadAPIName.state, answer.grants.last?.state)
        object.array(ReadAPIName.active) { for name in answer.active.sorted() { $0.string(name) } }
        object.set(ReadAPIName.latestSignedDate, purchase.latestSignedDate)
    }
}
