internal import Kafka

/// One row as this process knows it: applied from the topic, and published by this process but not yet read back. A
/// value without I/O: whoever holds it publishes, writes and counts by what its functions return.
///
/// | event | row | current | publications | afterwards |
/// | --- | --- | --- | --- | --- |
/// | **merged**: it adds something | | joined with it | | unpublished |
/// | **merged**: it adds nothing | | | | |
/// | **sent** | | | one more | published |
/// | **received**: own, in order | as published then | row, joined with publications that remain | one less | written |
/// | **received**: own, after another's record | joined with it | joined with it | one less | written; behind if it lacks something |
/// | **received**: own removal | none | row, or publications that remain | one less | written |
/// | **received**: a state that adds something | joined with it | joined with it | | written, changed; behind if it lacks something |
/// | **received**: a state that adds nothing | | | | written; behind if it lacks something |
/// | **received**: a state that cannot be merged, or no state | | | | written, behind; ignored without a row |
/// | **received**: a tombstone | none | publications that remain | | written, changed; ignored without a row |
/// | **received**: a record without the winning proposal | | | | written, behind |
/// | **acknowledged**, and never read back | | row, joined with what remains | fewer | unpublished as before |
/// | **refused** | | row, joined with what remains | fewer | |
/// | **revoked** | | row | none | |
struct RowState<Model: StateModel> {
    typealias State = Model.State

    /// A publication that was not read back yet.
    struct Publication {
        let number: UInt64
        /// Nil: a tombstone that removes the row.
        let state: SharedState<State>?
        var image: RowImage
        /// Version of the row when this was published.
        let rowVersion: Int
        let delivery: StateDelivery
    }

    /// As applied from the topic; nil when there is none.
    private(set) var row: SharedState<State>?
    /// The stored form of `row`.
    private(set) var image = RowImage()
    /// `row` joined with all publications, and with what was merged and not published.
    private(set) var current: SharedState<State>?
    /// `current` holds something that was not published.
    private(set) var isUnpublished = false
    /// Published and not read back, oldest first.
    private(set) var publications: [Publication] = []
    /// Counts the changes of `row` by records of others.
    private var rowVersion = 0
    /// The number of the last own publication that was read back.
    private var lastRead: UInt64 = 0

    /// A key of which nothing is known.
    init() {}

    /// A row of the database.
    init(row: State, image: RowImage) {
        self.row = SharedState(row)
        self.image = image
        current = self.row
    }

    /// Whether nothing is on its way or unpublished.
    var isSettled: Bool { publications.isEmpty && !isUnpublished }

    // MARK: Merged

    /// Adds a state to what is known.
    ///
    /// - Throws: what the model throws; nothing is changed then.
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

    /// The current state, or the removal of the row, was published.
    ///
    /// - Parameter image: of what was published; nil for a removal.
    mutating func sent(_ number: UInt64, image: RowImage?, in delivery: StateDelivery) {
        if image == nil { current = nil }
        isUnpublished = false
        publications.append(
            Publication(
                number: number, state: image == nil ? nil : current, image: image ?? RowImage(),
                rowVersion: rowVersion, delivery: delivery))
    }

    /// Has the owner publish the row once more after its last publication.
    mutating func markLastPublicationBehind() {
        guard !publications.isEmpty else { return }
        publications[publications.count - 1].image.isBehind = true
    }

    // MARK: Received

    /// Takes an own publication off the overlay, whose record was read back.
    ///
    /// - Returns: nil for one that is not known: it was published before the partition was revoked.
    mutating func takePublication(_ number: UInt64) -> Publication? {
        // By index: iterating over values of a generic type allocates memory for each.
        for index in publications.indices where publications[index].number == number {
            return publications.remove(at: index)
        }
        return nil
    }

    /// An own record was read back.
    ///
    /// - Parameters:
    ///   - publication: taken off before.
    ///   - image: makes the stored form of the row, where it is not what was published.
    mutating func received(
        own publication: Publication, _ proposal: StateProposal?, form: Int64, by model: Model,
        image: (State) -> RowImage
    ) -> RowEffect {
        let isInOrder = publication.number > lastRead && publication.rowVersion == rowVersion
        lastRead = max(lastRead, publication.number)
        guard let state = publication.state else {
            replace(nil, RowImage())
            return .written
        }
        // Where others wrote in between, the record may lack what they said.
        guard isInOrder || row == nil else {
            return received(state.value, proposal, form: form, by: model, image: image)
        }
        replace(state, publication.image)
        return received(proposal, by: model) ? [.written, .behind] : .written
    }

    /// A state of the topic was read.
    ///
    /// - Parameters:
    ///   - proposal: of the record; nil for none.
    ///   - form: by which the record was published.
    ///   - image: makes the stored form of a row.
    mutating func received(
        _ state: State, _ proposal: StateProposal?, form: Int64, by model: Model, image: (State) -> RowImage
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
        stored.isBehind = joined != state
        stored.proposal = self.image.proposal
        if isChanged { rowVersion += 1 }
        let isPending = !isSettled
        replace(isChanged ? SharedState(joined) : row, stored)
        // What cannot be merged into it stays without this record's facts until it is published and read back.
        if isPending { _ = try? join(state, by: model) }
        var effect: RowEffect = isChanged ? [.written, .changed] : .written
        if received(proposal, by: model) || stored.isBehind { effect.insert(.behind) }
        return effect
    }

    /// A record was read that is no state of the key.
    mutating func receivedUnreadable() -> RowEffect {
        guard row != nil else { return .unreadable }
        image.isBehind = true
        return [.written, .behind, .unreadable]
    }

    /// A tombstone was read.
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

    /// Keeps the winning proposal of the key: of the latest round, and inside it the first in the log.
    ///
    /// - Returns: whether the record lacks the winner, so that the owner publishes again.
    private mutating func received(_ proposal: StateProposal?, by model: Model) -> Bool {
        guard let winner = image.proposal, let state = row?.value else {
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

    /// Publications were acknowledged that will not be read back: their partition is not followed.
    mutating func acknowledged(by model: Model, _ isAcknowledged: (Publication) -> Bool) {
        guard publications.contains(where: isAcknowledged) else { return }
        let (pending, hasMore) = (current, isUnpublished)
        publications.removeAll(where: isAcknowledged)
        reset(by: model)
        guard hasMore else { return }
        current = pending
        isUnpublished = true
    }

    /// Publications were not acknowledged: what they said is computed again.
    ///
    /// - Returns: these publications.
    mutating func refused(by model: Model, _ isRefused: (Publication) -> Bool) -> [Publication] {
        let refused = publications.filter(isRefused)
        guard !refused.isEmpty else { return [] }
        publications.removeAll(where: isRefused)
        reset(by: model)
        return refused
    }

    /// The partition was revoked: what was not published is computed again by its next owner, and own records that are
    /// read back later are read as another's.
    mutating func revoked() {
        publications = []
        current = row
        isUnpublished = false
    }

    /// The row joined with what is on its way.
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

/// What is to be done about a row to which a record was applied.
struct RowEffect: OptionSet {
    let rawValue: Int

    /// The row is written to the database.
    static let written = RowEffect(rawValue: 1)
    /// Another member's record has changed it.
    static let changed = RowEffect(rawValue: 2)
    /// The last record says less than the row: the owner publishes it again.
    static let behind = RowEffect(rawValue: 4)
    /// The record cannot be read, or not be merged.
    static let unreadable = RowEffect(rawValue: 8)
}
