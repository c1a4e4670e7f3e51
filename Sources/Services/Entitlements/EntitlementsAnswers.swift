internal import AppStoreModel
internal import EntitlementRules
internal import JSON
internal import NotificationRecord

/// The bodies of the read API's answers.
struct EntitlementsAnswers {
    let rules: ProductRules

    /// What a subject may use at a moment.
    ///
    /// - Parameter isTimeless: without the moment, so that texts are equal as long as the answer is.
    func entitlements(
        _ query: EntitlementsQuery, _ chains: [ChainFacts], _ answer: EntitlementAnswer, isTimeless: Bool
    ) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1024)
        writer.object { body in
            writeSubject(query, to: &body)
            if isTimeless { answer.writeTimeless(to: &body) } else { answer.write(to: &body) }
            body.array(ReadAPIName.chains) { array in
                for chain in chains { array.object { writeIdentity(of: chain, to: &$0) } }
            }
        }
        return writer.bytes
    }

    /// What happened to the chains of a subject, as far as their events are kept.
    func history(_ query: EntitlementsQuery, _ chains: [ChainFacts]) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { body in
            writeSubject(query, to: &body)
            body.array(ReadAPIName.chains) { array in
                for chain in chains {
                    array.object { object in
                        writeIdentity(of: chain, to: &object)
                        object.array(ReadAPIName.transitions) { array in
                            for transition in chain.transitions(rules) {
                                array.object { transition.write(to: &$0) }
                            }
                        }
                        object.array(ReadAPIName.events) { array in
                            for event in chain.events { array.object { event.write(to: &$0) } }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// A page of chains, with the key that the next one begins after.
    func chains(_ query: ChainsQuery, _ chains: [ChainFacts], hasMore: Bool, at instant: AppStoreInstant) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 4096)
        writer.object { body in
            body.set(ReadAPIName.environment, query.environment.rawValue)
            body.set(ReadAPIName.asOf, instant)
            body.array(ReadAPIName.chains) { array in
                for chain in chains {
                    array.object { object in
                        writeIdentity(of: chain, to: &object)
                        writeSummary(of: chain, at: instant, to: &object)
                    }
                }
            }
            if hasMore, let last = chains.last {
                body.set(ReadAPIName.next, RecordKey.chain(last.bundleId, last.originalTransactionId))
            }
        }
        return writer.bytes
    }

    /// What became of a claim or an erasure.
    func changed(_ request: ChangeRequest, _ chain: ChainFacts) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { body in
            body.set(ReadAPIName.environment, request.environment.rawValue)
            writeIdentity(of: chain, to: &body)
            body.set(ReadAPIName.erasedAt, chain.erasedAt)
        }
        return writer.bytes
    }

    private func writeSubject(_ query: EntitlementsQuery, to body: inout JSONWriter) {
        body.set(ReadAPIName.environment, query.environment.rawValue)
        body.set(query.subject.name, query.subject.text)
    }

    private func writeIdentity(of chain: ChainFacts, to object: inout JSONWriter) {
        object.set(ReadAPIName.bundleId, chain.bundleId.rawValue)
        object.set(ReadAPIName.originalTransactionId, chain.originalTransactionId.rawValue)
        object.set(ReadAPIName.appAccountToken, chain.appAccountToken?.rawValue)
        object.set(ReadAPIName.appTransactionId, chain.appTransactionId?.rawValue)
        object.set(ReadAPIName.previousOriginalTransactionId, chain.previousOriginalTransactionId?.rawValue)
        if !chain.successors.isEmpty {
            object.array(ReadAPIName.migratedTo) { array in
                for id in chain.successors.keys.sorted() { array.string(id.rawValue) }
            }
        }
    }

    private func writeSummary(of chain: ChainFacts, at instant: AppStoreInstant, to object: inout JSONWriter) {
        let answer = EntitlementAnswer(chains: [chain], environment: chain.environment, at: instant, rules: rules)
        let productId = answer.grants.last?.productId ?? answer.balances.last?.productId
        object.set(ReadAPIName.productId, productId?.rawValue)
        object.set(ReadAPIName.state, answer.grants.last?.state)
        object.array(ReadAPIName.active) { for name in answer.active.sorted() { $0.string(name) } }
        object.set(ReadAPIName.latestSignedDate, chain.latestSignedDate)
    }
}
