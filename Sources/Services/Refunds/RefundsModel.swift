internal import AppStoreModel
internal import Kafka
internal import KeyedState
internal import PipelineRuntime
internal import Records
internal import RefundCases

/// The rows of refunds: one case for each transaction, published as it is stored.
struct RefundsModel: StateModel {
    /// Names of index entries.
    enum Entry {
        static let appAccountToken = "appAccountToken"
        static let appTransactionId = "appTransactionId"
    }

    func key(of state: RefundCase) -> [UInt8] { Self.key(state.bundleId, state.transactionId) }

    static func key(_ bundleId: BundleId, _ id: TransactionId) -> [UInt8] {
        Array(RecordKey.transaction(bundleId, id).utf8)
    }

    /// - Throws: ``OtherEnvironment``.
    func merge(_ other: RefundCase, into state: inout RefundCase) throws -> StateMerge {
        guard state.environment == other.environment else { throw OtherEnvironment() }
        return StateMerge(isChanged: state.merge(other))
    }

    func encode(_ state: RefundCase) -> [UInt8] { state.jsonText }

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
            throw StateError(.newer, "a record has a format that this version does not know")
        }
    }

    func indexEntries(of state: RefundCase) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        if let token = state.transaction?.appAccountToken {
            entries.append(IndexEntry(Entry.appAccountToken, token.rawValue))
        }
        if let id = state.transaction?.appTransactionId {
            entries.append(IndexEntry(Entry.appTransactionId, id.rawValue))
        }
        return entries
    }

    func deadline(of state: RefundCase) -> Int64? {
        state.answerStatus == .waiting ? state.deadline?.millisecondsSince1970 : nil
    }

    func expiry(of state: RefundCase) -> Int64? { state.expiry?.millisecondsSince1970 }
}

/// A case under the key of another environment's.
struct OtherEnvironment: RecordFault {
    var reason: HandlerReason { HandlerReason(code: RefundReason.environmentMismatch) }
}
