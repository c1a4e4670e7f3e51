internal import AppStoreModel
internal import Records
internal import Story

/// A query to `/v1/story`.
struct StoryQuery: Sendable, Equatable {
    let identifier: StoryIdentifier
    let environment: AppStoreEnvironment
    let from: AppStoreInstant?
    let to: AppStoreInstant?

    init(_ query: String?) throws(Refusal) {
        let parameters = try QueryParameters(
            query, names: [ReadAPIName.id, ReadAPIName.environment, ReadAPIName.from, ReadAPIName.to])
        guard let id = parameters[ReadAPIName.id], let identifier = StoryIdentifier(id) else {
            throw Refusal(message: "\(ReadAPIName.id): expected a purchase or customer identifier")
        }
        self.identifier = identifier
        environment = try parameters.environment()
        from = try parameters.instant(ReadAPIName.from)
        to = try parameters.instant(ReadAPIName.to)
    }

    /// The subjects that the identifier may refer to, by kind. The database has an index for each kind.
    var subjects: [(kind: StoryIdentifier.Kind, subject: Subject)] {
        identifier.kinds.compactMap { kind in
            switch kind {
            case .originalTransactionId: (kind, .originalTransactionId(OriginalTransactionId(identifier.text)))
            case .transactionId: (kind, .transactionId(TransactionId(identifier.text)))
            case .appTransactionId: (kind, .appTransactionId(AppTransactionId(identifier.text)))
            case .appAccountToken: (kind, .appAccountToken(AppAccountToken(identifier.text)))
            default: nil
            }
        }
    }
}

/// A story query and the purchases that its identifier refers to.
struct StorySubject: Sendable {
    let query: StoryQuery
    let kinds: [StoryIdentifier.Kind]
    /// Record keys of the purchases.
    let keys: Set<[UInt8]>
}
