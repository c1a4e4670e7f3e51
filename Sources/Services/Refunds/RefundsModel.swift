internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records
internal import RefundRules

/// The state model for refunds: one case per transaction, published in the stored format.
struct RefundsModel: StateModel {
    /// Names of index entries.
    enum Entry {
        static let appAccountToken = "appAccountToken"
        static let appTransactionId = "appTransactionId"
    }

    /// The value of `refunds.round.gap`, in milliseconds.
    var gap = RefundRounds.defaultGap
    /// The environment of each topic, needed for tombstones, which do not contain it.
    var environments: [KafkaTopic: AppStoreEnvironment] = [:]

    func key(of state: RefundCase) -> [UInt8] { Self.key(state.bundleId, state.transactionId) }

    static func key(_ bundleId: BundleId, _ id: TransactionId) -> [UInt8] {
        Array(RecordKey.transaction(bundleId, id).utf8)
    }

    /// Returns the prefix of an app's keys.
    static func prefix(_ bundleId: BundleId) -> [UInt8] { key(bundleId, TransactionId("")) }

    /// - Throws: ``OtherEnvironment``.
    func merge(_ other: RefundCase, into state: inout RefundCase) throws -> StateMerge {
        guard state.environment == other.environment else { throw OtherEnvironment() }
        return StateMerge(isChanged: state.merge(other))
    }

    func encode(_ state: RefundCase) -> [UInt8] { state.jsonText(gap: gap) }

    func decode(_ row: [UInt8]) throws -> RefundCase {
        do throws(RefundFormatError) {
            return try RefundCase(json: row)
        } catch {
            throw StateError(error == .unknownFormat ? .newer : .damaged, "a row cannot be read: \(error)")
        }
    }

    func read(published value: [UInt8], at offset: Int64) throws -> RefundCase {
        do throws(RefundFormatError) {
            return try RefundCase(json: value)
        } catch {
            guard error == .unknownFormat else { throw error }
            throw StateError(.newer, "a record has a format that this version does not support")
        }
    }

    /// Returns a case that erases the person but keeps the fact that requests were answered, or nil if the topic or key
    /// is not one of a case.
    func erasure(of key: [UInt8], in topic: KafkaTopic, at moment: Int64) -> RefundCase? {
        guard let environment = environments[topic], let separator = key.firstIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        var refund = RefundCase(
            environment: environment, bundleId: BundleId(String(decoding: key[..<separator], as: UTF8.self)),
            transactionId: TransactionId(String(decoding: key[(separator + 1)...], as: UTF8.self)))
        refund.erase(at: AppStoreInstant(clampingMillisecondsSince1970: moment))
        return refund
    }

    /// Returns the round of the newest request known to the proposal's author. A round is identified by its first
    /// request.
    func round(of proposal: [UInt8], in state: RefundCase) -> Int64 {
        state.round(ofProposal: proposal, gap: gap)
    }

    /// Returns whether a proposal is kept. It contains the customer's data, so an erasure removes it.
    func retains(_ proposal: [UInt8], in state: RefundCase) -> Bool { state.retains(proposal: proposal) }

    func indexEntries(of state: RefundCase) -> [IndexEntry] { Self.customer(of: state) }

    /// Returns the index entries for a customer: the account token set by the app, and Apple's id for the customer and
    /// the app.
    static func customer(of refund: RefundCase) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        if let token = refund.transaction?.appAccountToken {
            entries.append(IndexEntry(Entry.appAccountToken, token.rawValue))
        }
        if let id = refund.transaction?.appTransactionId {
            entries.append(IndexEntry(Entry.appTransactionId, id.rawValue))
        }
        return entries
    }

    func deadline(of state: RefundCase) -> Int64? {
        guard let round = RefundRounds(state, gap: gap).waiting else { return nil }
        return (round.deadline ?? round.openedAt).millisecondsSince1970
    }

    /// Returns the time when a case expires. A case never expires while Apple is waiting, because during that time, the
    /// last request is less than 400 days old.
    func expiry(of state: RefundCase) -> Int64? { state.expiry?.millisecondsSince1970 }

    /// Identifies the version of the published format, and the round gap.
    var fingerprint: String { "refunds-2-\(gap)" }
}

/// The case is from a different environment than the stored one.
struct OtherEnvironment: RecordFault {
    var reason: HandlerReason { HandlerReason(code: RefundReason.environmentMismatch) }
}
