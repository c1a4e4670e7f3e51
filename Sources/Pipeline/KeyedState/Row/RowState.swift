internal import Kafka

/// One row from the point of view of this process: the state applied from the topic, and this process's own
/// publications that have not been read back yet. A value without I/O: the owner of the value publishes, writes and
/// counts according to the results of its functions. In the table, an empty cell means no change, and `joined` means
/// merged with the state in the event.
///
/// | event | row | current | publications | afterwards |
/// | --- | --- | --- | --- | --- |
/// | **merged**: it adds something | | joined with it | | unpublished |
/// | **merged**: it adds nothing | | | | |
/// | **sent** | | | one more | published |
/// | **received**: own, in order | published state | row, joined with later publications | only later ones | written |
/// | **received**: own, after another's record | joined | joined | only later ones | written; behind if incomplete |
/// | **received**: own removal | none | row, or later publications | only later ones | written |
/// | **received**: a state that adds something | joined | joined | | written, changed; behind if incomplete |
/// | **received**: a state that adds nothing | | | | written; behind if incomplete |
/// | **received**: a state with derived updates that are not published | | | | also behind |
/// | **received**: a state that cannot be merged, or no state | | | | written, behind; ignored without a row |
/// | **received**: a tombstone | none | publications that remain | | written, changed; ignored without a row |
/// | **received**: a record without the winning proposal | | | | written, behind |
/// | **received**: a record with a proposal that the model does not retain | | | | written, behind |
/// | **acknowledged**, and never read back | | row with remaining publications | fewer | unpublished as before |
/// | **refused** | | row with remaining publications | fewer | |
/// | **revoked** | | row | none | |
struct RowState<Model: StateModel> {
    typealias State = Model.State

    /// A publication that has not been read back yet.
    struct Publication {
        let number: UInt64
        /// The published state; nil if the publication is a tombstone that removes the row.
        let state: SharedState<State>?
        var image: RowImage
        /// `rowVersion` at the time of the publication.
        let rowVersion: Int
        let delivery: StateDelivery
    }

    /// The state applied from the topic; nil if there is no row.
    private(set) var row: SharedState<State>?
    /// The stored form of `row`.
    private(set) var image = RowImage()
    /// `row` joined with all publications and with merged states that have not been published yet.
    private(set) var current: SharedState<State>?
    /// Whether `current` contains unpublished changes.
    private(set) var isUnpublished = false
    /// Publications that have not been read back, oldest first.
    private(set) var publications: [Publication] = []
    /// Number of times that other members' records have changed `row`.
    private var rowVersion = 0

    /// Creates the state for a key that has no row.
    init() {}

    /// Creates the state of a row read from the database.
    init(row: State, image: RowImage) {
        self.row = SharedState(row)
        self.image = image
        current = self.row
    }

    /// Whether no publication is outstanding and nothing is unpublished. Inlined, because a call would copy the row.
    @inline(__always)
    var isSettled: Bool { publications.isEmpty && !isUnpublished }

    // MARK: Merged

    /// Merges a state into the current state.
    ///
    /// - Throws: the model's error; in that case, the state is unchanged.
    mutating func merged(_ state: State, by model: Model) throws -> StateMerge {
        let merge = try join(state, by: model)
        if merge.isChanged { isUnpublished = true }
        return merge
    }

    private mutating func join(_ state: State, by model: Model) throws -> StateMerge {
        guard var value = current?.value else {
            current = SharedState(state)
            return StateMerge(isChanged: true)
        }
        let merge = try model.merge(state, into: &value)
        if merge.isChanged { current = SharedState(value) }
        return merge
    }

    /// Notes that the current state or the removal of the row was published.
    ///
    /// - Parameter image: the stored form of the published row; nil if the row was removed.
    mutating func sent(_ number: UInt64, image: RowImage?, in delivery: StateDelivery) {
        if image == nil { current = nil }
        isUnpublished = false
        publications.append(
            Publication(
                number: number, state: image == nil ? nil : current, image: image ?? RowImage(),
                rowVersion: rowVersion, delivery: delivery))
    }

    // MARK: Received

    /// Removes one of this process's publications from the overlay when its record is read back, together with the
    /// earlier ones. Brokers refused those, or compaction removed their records before they were read. If one of them
    /// is read nevertheless, its record is treated like another member's.
    ///
    /// - Returns: nil if the publication is unknown because it was sent before the partition was revoked.
    mutating func takePublication(_ number: UInt64) -> Publication? {
        // Iterate by index: iterating over values of a generic type allocates memory for each.
        for index in publications.indices where publications[index].number == number {
            let publication = publications[index]
            publications.removeFirst(index + 1)
            return publication
        }
        return nil
    }

    /// Applies one of this process's own records that was read back.
    ///
    /// - Parameters:
    ///   - publication: the publication returned by ``takePublication(_:)``.
    ///   - image: returns the stored form of the row if it differs from the published one.
    mutating func received(
        own publication: Publication, _ proposal: StateProposal?, form: Int64, by model: Model,
        image: (State) -> RowImage
    ) -> RowEffect {
        let isInOrder = publication.rowVersion == rowVersion
        guard let state = publication.state else {
            replace(nil, RowImage())
            return .written
        }
        // If other members wrote in between, the record may lack their facts.
        guard isInOrder || row == nil else {
            let isPending = publication.image.isBehind
            return received(state.value, proposal, form: form, isPending: isPending, by: model, image: image)
        }
        replace(state, publication.image)
        return received(proposal, by: model) ? [.written, .behind] : .written
    }

    /// Applies a state that was read from the topic.
    ///
    /// - Parameters:
    ///   - proposal: the proposal in the record; nil if there is none.
    ///   - form: the fingerprint with which the record was published.
    ///   - isPending: whether updates derived from the row may still be unpublished.
    ///   - image: returns the stored form of a row.
    mutating func received(
        _ state: State, _ proposal: StateProposal?, form: Int64, isPending: Bool = false, by model: Model,
        image: (State) -> RowImage
    ) -> RowEffect {
        var joined = state
        var isChanged = true
        if let row {
            joined = row.value
            do {
                isChanged = try model.merge(state, into: &joined).isChanged
            } catch {
                self.image.isBehind = true
                return [.written, .behind, .unreadable]
            }
        }
        var stored = isChanged || form != self.image.form ? image(joined) : self.image
        stored.isBehind = isPending || joined != state
        stored.proposal = self.image.proposal
        if isChanged { rowVersion += 1 }
        let isOutstanding = !isSettled
        replace(isChanged ? SharedState(joined) : row, stored)
        // If this record cannot be merged into the current state, that state lacks the record's facts until a
        // publication has been read back.
        if isOutstanding { _ = try? join(state, by: model) }
        var effect: RowEffect = isChanged ? [.written, .changed] : .written
        if received(proposal, by: model) || stored.isBehind { effect.insert(.behind) }
        return effect
    }

    /// Applies a record that cannot be decoded into a state of the key.
    mutating func receivedUnreadable() -> RowEffect {
        guard row != nil else { return .unreadable }
        image.isBehind = true
        return [.written, .behind, .unreadable]
    }

    /// Applies a tombstone.
    mutating func receivedTombstone() -> RowEffect {
        guard row != nil else { return [] }
        replace(nil, RowImage())
        rowVersion += 1
        return [.written, .changed]
    }

    private mutating func replace(_ row: SharedState<State>?, _ image: RowImage) {
        let proposal = row == nil ? nil : self.image.proposal
        self.row = row
        self.image = image
        self.image.proposal = proposal
        if isSettled { current = row }
    }

    /// Keeps the key's winning proposal: the first one in the log for the latest round. Drops proposals that the model
    /// does not retain.
    ///
    /// - Returns: whether the owner must republish the row because the record lacks the winner, or has a proposal that
    ///   was dropped.
    private mutating func received(_ proposal: StateProposal?, by model: Model) -> Bool {
        guard let state = row?.value else {
            image.proposal = proposal
            return false
        }
        if let winner = image.proposal, !model.retains(winner.value, in: state) { image.proposal = nil }
        if let proposal, !model.retains(proposal.value, in: state) {
            image.isBehind = true
            return true
        }
        guard let winner = image.proposal else {
            image.proposal = proposal
            return false
        }
        if let proposal, model.replaces(proposal, winner, in: state) {
            image.proposal = proposal
            return false
        }
        image.isBehind = true
        return true
    }

    // MARK: Acknowledged, refused, revoked

    /// Removes publications that are acknowledged but will never be read back, because their partition is not followed.
    mutating func acknowledged(by model: Model, _ isAcknowledged: (Publication) -> Bool) {
        guard publications.contains(where: isAcknowledged) else { return }
        let (pending, hasMore) = (current, isUnpublished)
        publications.removeAll(where: isAcknowledged)
        reset(by: model)
        guard hasMore else { return }
        current = pending
        isUnpublished = true
    }

    /// Removes publications that were not acknowledged, and recomputes the current state without them.
    ///
    /// - Returns: the removed publications.
    mutating func refused(by model: Model, _ isRefused: (Publication) -> Bool) -> [Publication] {
        let refused = publications.filter(isRefused)
        guard !refused.isEmpty else { return [] }
        publications.removeAll(where: isRefused)
        reset(by: model)
        return refused
    }

    /// Removes all publications because the partition was revoked. The next owner recomputes unpublished changes, and
    /// this process's records that are read back later are treated like another member's.
    mutating func revoked() {
        publications = []
        current = row
        isUnpublished = false
    }

    /// Recomputes the current state from the row and its outstanding publications.
    private mutating func reset(by model: Model) {
        current = row
        isUnpublished = false
        for publication in publications {
            guard let state = publication.state else {
                current = nil
                continue
            }
            _ = try? join(state.value, by: model)
        }
    }
}

/// The effects of applying a record to a row.
struct RowEffect: OptionSet {
    let rawValue: Int

    /// The row must be written to the database.
    static let written = RowEffect(rawValue: 1)
    /// Another member's record changed the row.
    static let changed = RowEffect(rawValue: 2)
    /// The last record is older than the row, so the owner must republish the row.
    static let behind = RowEffect(rawValue: 4)
    /// The record cannot be decoded or merged.
    static let unreadable = RowEffect(rawValue: 8)
}
