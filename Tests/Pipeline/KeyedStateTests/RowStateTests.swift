import Kafka
import TestSupport
import Testing

@testable import KeyedState

/// Every row of the event table in `RowState`, and every pair of events.
struct RowStateTests {
    private let model = NumberSetModel()
    private let place = KafkaTopicPartition(topic: "state", partition: 0)

    private static func set(_ numbers: Set<Int>) -> NumberSet { NumberSet("a", numbers) }

    private static func image(_ state: NumberSet) -> RowImage { RowImage(encoded: state.text) }

    private func stored(_ numbers: Set<Int>) -> RowState<NumberSetModel> {
        RowState(row: Self.set(numbers), image: Self.image(Self.set(numbers)))
    }

    private func send(_ number: UInt64, _ row: inout RowState<NumberSetModel>) {
        let image = row.current.map { Self.image($0.value) }
        row.sent(number, image: image, in: StateDelivery(place))
    }

    private func receive(
        _ numbers: Set<Int>, _ row: inout RowState<NumberSetModel>, _ proposal: StateProposal? = nil
    ) -> RowEffect {
        row.received(Self.set(numbers), proposal, form: 0, by: model, image: Self.image)
    }

    private func readBack(
        _ number: UInt64, _ row: inout RowState<NumberSetModel>, _ proposal: StateProposal? = nil
    ) throws -> RowEffect {
        let taken = row.takePublication(number)
        let publication = try #require(taken)
        return row.received(own: publication, proposal, form: 0, by: model, image: Self.image)
    }

    private func numbers(_ state: SharedState<NumberSet>?) -> Set<Int>? { state?.value.numbers }

    // MARK: Cases

    @Test func `merging something new makes the row unpublished, and merging it again does not`() throws {
        var row = stored([1])
        let first = try row.merged(Self.set([2]), by: model)
        #expect(first.isChanged)
        #expect(row.isUnpublished && numbers(row.current) == [1, 2] && numbers(row.row) == [1])
        send(1, &row)
        #expect(!row.isUnpublished && row.publications.map(\.number) == [1])
        let second = try row.merged(Self.set([2]), by: model)
        #expect(second == StateMerge(isChanged: false, isLate: true))
        #expect(!row.isUnpublished)
    }

    @Test func `a refused publication after a removal leaves the row removed`() throws {
        var row = stored([1])
        row.sent(1, image: nil, in: StateDelivery(place))
        _ = try row.merged(Self.set([2]), by: model)
        send(2, &row)
        let refused = row.refused(by: model) { $0.number == 2 }
        #expect(refused.map(\.number) == [2])
        #expect(row.current == nil && row.publications.map(\.number) == [1])
    }

    @Test func `a state that cannot be merged changes nothing`() {
        var row = stored([1])
        #expect(throws: NumberSetModel.Poison.self) { _ = try row.merged(Self.set([666]), by: model) }
        #expect(row.isSettled && numbers(row.current) == [1])
    }

    @Test func `a publication that is read back in order becomes the row`() throws {
        var row = RowState<NumberSetModel>()
        _ = try row.merged(Self.set([1]), by: model)
        send(1, &row)
        _ = try row.merged(Self.set([2]), by: model)
        send(2, &row)
        #expect(try readBack(1, &row) == .written)
        #expect(numbers(row.row) == [1] && numbers(row.current) == [1, 2] && row.publications.count == 1)
        #expect(try readBack(2, &row) == .written)
        #expect(numbers(row.row) == [1, 2] && row.isSettled && !row.image.isBehind)
    }

    @Test func `a publication read back after another member's record is joined with it and is behind`() throws {
        var row = stored([1])
        _ = try row.merged(Self.set([2]), by: model)
        send(1, &row)
        #expect(receive([1, 3], &row) == [.written, .changed])
        #expect(numbers(row.current) == [1, 2, 3])
        #expect(try readBack(1, &row) == [.written, .changed, .behind])
        #expect(numbers(row.row) == [1, 2, 3] && row.image.isBehind)
    }

    @Test func `earlier publications are not awaited once a later one is read back, and do not undo it`() throws {
        var row = stored([1])
        for number in [2, 3, 4] {
            _ = try row.merged(Self.set([number]), by: model)
            send(UInt64(number), &row)
        }
        // Compaction removed the record of publication 2.
        #expect(try readBack(3, &row) == .written)
        #expect(row.publications.map(\.number) == [4] && row.takePublication(2) == nil)
        #expect(try readBack(4, &row) == .written)
        #expect(row.isSettled && numbers(row.row) == [1, 2, 3, 4])
        #expect(receive([1, 2], &row) == [.written, .behind])
        #expect(numbers(row.row) == [1, 2, 3, 4])
    }

    @Test func `a publication is read back only once`() throws {
        var row = stored([1])
        send(1, &row)
        _ = try readBack(1, &row)
        #expect(row.takePublication(1) == nil)
    }

    @Test func `a member's own removal removes the row when it is read back`() throws {
        var row = stored([1])
        row.sent(1, image: nil, in: StateDelivery(place))
        #expect(row.current == nil && numbers(row.row) == [1])
        #expect(try readBack(1, &row) == .written)
        #expect(row.row == nil && row.image == RowImage())
    }

    @Test func `a state that adds something is joined, and is behind if it is incomplete`() {
        var row = stored([1])
        #expect(receive([1, 2], &row) == [.written, .changed])
        #expect(!row.image.isBehind && row.image.encoded == Self.set([1, 2]).text)
        #expect(receive([3], &row) == [.written, .changed, .behind])
        #expect(row.image.isBehind && numbers(row.current) == [1, 2, 3])
        #expect(receive([3], &row) == [.written, .behind])
        #expect(receive([1, 2, 3], &row) == .written)
        #expect(!row.image.isBehind)
    }

    @Test func `the first state of a key becomes its row`() {
        var row = RowState<NumberSetModel>()
        #expect(receive([1], &row) == [.written, .changed])
        #expect(numbers(row.row) == [1] && numbers(row.current) == [1])
    }

    @Test func `a state that cannot be merged leaves the row, which is then behind`() {
        var row = stored([1])
        #expect(receive([666], &row) == [.written, .behind, .unreadable])
        #expect(row.image.isBehind && numbers(row.row) == [1])
        var other = stored([1])
        #expect(other.receivedUnreadable() == [.written, .behind, .unreadable])
        #expect(other.image.isBehind && numbers(other.row) == [1])
        var none = RowState<NumberSetModel>()
        #expect(none.receivedUnreadable() == .unreadable)
        #expect(none.row == nil && !none.image.isBehind)
    }

    @Test func `a tombstone removes the row but not outstanding publications`() throws {
        var row = stored([1])
        #expect(row.receivedTombstone() == [.written, .changed])
        #expect(row.row == nil && row.current == nil && row.image == RowImage())
        let nothing = row.receivedTombstone()
        #expect(nothing.isEmpty)
        var pending = stored([1])
        _ = try pending.merged(Self.set([2]), by: model)
        send(1, &pending)
        #expect(pending.receivedTombstone() == [.written, .changed])
        #expect(pending.row == nil && numbers(pending.current) == [1, 2])
        #expect(try readBack(1, &pending) == .written)
        #expect(numbers(pending.row) == [1, 2])
    }

    @Test func `the first proposal wins, and a record without it is behind`() {
        let (first, second) = (StateProposal(value: [1], offset: 5), StateProposal(value: [2], offset: 6))
        var row = stored([1])
        #expect(receive([1], &row, first) == .written)
        #expect(row.image.proposal == first)
        #expect(receive([1], &row, second) == [.written, .behind])
        #expect(row.image.proposal == first && row.image.isBehind)
        #expect(receive([1], &row, first) == .written)
        #expect(receive([1], &row) == [.written, .behind])
        _ = row.receivedTombstone()
        #expect(row.image.proposal == nil)
    }

    @Test func `a publication sent before the winning proposal was read is behind`() throws {
        var row = stored([1])
        send(1, &row)
        #expect(receive([1], &row, StateProposal(value: [1], offset: 0)) == .written)
        #expect(try readBack(1, &row) == [.written, .behind])
        #expect(row.image.proposal?.value == [1])
    }

    @Test func `a row published under other rules gets another image`() {
        var row = stored([1])
        var images = 0
        let effect = row.received(Self.set([1]), nil, form: 9, by: model) {
            images += 1
            return RowImage(encoded: $0.text, form: 9)
        }
        #expect(effect == .written && images == 1 && row.image.form == 9)
    }

    @Test func `acknowledged publications can be dropped without being read back, unpublished facts are kept`() throws {
        var row = RowState<NumberSetModel>()
        _ = try row.merged(Self.set([1]), by: model)
        send(1, &row)
        row.acknowledged(by: model) { $0.number == 2 }
        #expect(row.publications.count == 1)
        _ = try row.merged(Self.set([2]), by: model)
        row.acknowledged(by: model) { $0.number == 1 }
        #expect(row.publications.isEmpty && row.isUnpublished && numbers(row.current) == [1, 2])
        send(2, &row)
        row.acknowledged(by: model) { $0.number == 2 }
        #expect(row.isSettled && row.current == nil)
    }

    @Test func `a refused publication is removed with the facts that only it contained`() throws {
        var row = stored([1])
        for number in [2, 3] {
            _ = try row.merged(Self.set([number]), by: model)
            send(UInt64(number), &row)
        }
        var refused = row.refused(by: model) { $0.number == 3 }
        #expect(refused.map(\.number) == [3])
        #expect(numbers(row.current) == [1, 2] && row.publications.map(\.number) == [2])
        refused = row.refused(by: model) { _ in false }
        #expect(refused.isEmpty)
        refused = row.refused(by: model) { _ in true }
        #expect(refused.map(\.number) == [2])
        #expect(numbers(row.current) == [1] && row.isSettled)
    }

    @Test func `a revoked row equals the row in the topic`() throws {
        var row = stored([1])
        _ = try row.merged(Self.set([2]), by: model)
        send(1, &row)
        _ = try row.merged(Self.set([3]), by: model)
        row.revoked()
        #expect(row.isSettled && numbers(row.current) == [1] && row.takePublication(1) == nil)
    }

    @Test func `a row with pending updates is behind until a record without them is received`() throws {
        var row = stored([1])
        let effect = row.received(Self.set([1]), nil, form: 0, isPending: true, by: model, image: Self.image)
        #expect(effect == [.written, .behind] && row.image.isBehind)
        _ = row.received(Self.set([1]), nil, form: 0, by: model, image: Self.image)
        #expect(!row.image.isBehind)
    }

    @Test func `an own publication with pending updates leaves the row behind, even after another's record`() throws {
        var row = stored([1])
        var image = Self.image(Self.set([1]))
        image.isBehind = true
        row.sent(1, image: image, in: StateDelivery(place))
        _ = try readBack(1, &row)
        #expect(row.image.isBehind)
        _ = try row.merged(Self.set([2]), by: model)
        row.sent(2, image: image, in: StateDelivery(place))
        // The record of another member adds the same number first.
        _ = row.received(Self.set([1, 2]), nil, form: 0, by: model, image: Self.image)
        _ = try readBack(2, &row)
        #expect(row.image.isBehind && numbers(row.row) == [1, 2])
    }

    // MARK: Pairs

    /// An event that affects a row.
    enum Event: CaseIterable {
        case mergedNew, mergedKnown, sent, removed, readBackFirst, readBackLast, receivedMore, receivedLess,
            receivedUnmergeable, receivedUnreadable, receivedTombstone, acknowledged, refused, revoked
    }

    /// A row and its contents in the topic.
    private struct Scene {
        var row: RowState<NumberSetModel>
        /// The numbers in the last record; nil if the record is not a state.
        var lastRecord: Set<Int>? = [1]
        var hasRemoval = false
    }

    @Test(arguments: Event.allCases, Event.allCases)
    func `after any two events the row includes the topic's record, and is behind if that record is incomplete`(
        first: Event, second: Event
    ) throws {
        var scene = Scene(row: stored([1]))
        // Two publications are outstanding.
        let events: [Event] = [.mergedNew, .sent, .mergedNew, .sent, first, second]
        for (step, event) in events.enumerated() {
            try apply(event, to: &scene, step: 10 + 2 * step)
            try check(scene)
        }
        while let number = scene.row.publications.first?.number {
            try readBack(number, &scene)
            try check(scene)
        }
        let row = scene.row
        #expect(row.isUnpublished || numbers(row.current) == numbers(row.row))
    }

    private func check(_ scene: Scene) throws {
        let row = scene.row
        #expect(row.image.encoded == (row.row?.value.text ?? []))
        if row.isSettled { #expect(numbers(row.current) == numbers(row.row)) }
        if let stored = numbers(row.row), stored != scene.lastRecord { #expect(row.image.isBehind) }
        guard !scene.hasRemoval else { return }
        let current = numbers(row.current) ?? []
        #expect(current.isSuperset(of: numbers(row.row) ?? []))
        for publication in row.publications { #expect(current.isSuperset(of: numbers(publication.state) ?? [])) }
    }

    private func apply(_ event: Event, to scene: inout Scene, step: Int) throws {
        switch event {
        case .mergedNew:
            let merge = try scene.row.merged(Self.set([step]), by: model)
            #expect(merge.isChanged)
        case .mergedKnown:
            guard let known = scene.row.current?.value else { return }
            let merge = try scene.row.merged(known, by: model)
            #expect(!merge.isChanged)
        case .sent where scene.row.current == nil: break
        case .sent: send(UInt64(step), &scene.row)
        case .removed:
            scene.row.sent(UInt64(step), image: nil, in: StateDelivery(place))
            scene.hasRemoval = true
        case .readBackFirst: try readBack(scene.row.publications.first?.number, &scene)
        case .readBackLast: try readBack(scene.row.publications.last?.number, &scene)
        case .receivedMore:
            scene.lastRecord = [1, step, step + 1]
            let effect = receive([1, step, step + 1], &scene.row)
            #expect(effect.contains(.changed))
        case .receivedLess:
            scene.lastRecord = []
            let effect = receive([], &scene.row)
            #expect(effect.contains(.written))
        case .receivedUnmergeable where scene.row.row == nil: break
        case .receivedUnmergeable:
            scene.lastRecord = nil
            let effect = receive([666], &scene.row)
            #expect(effect == [.written, .behind, .unreadable])
        case .receivedUnreadable:
            scene.lastRecord = nil
            let effect = scene.row.receivedUnreadable()
            #expect(effect.contains(.unreadable))
        case .receivedTombstone:
            scene.lastRecord = nil
            _ = scene.row.receivedTombstone()
            #expect(scene.row.row == nil)
        case .acknowledged: scene.row.acknowledged(by: model) { $0.number < 14 }
        case .refused: _ = scene.row.refused(by: model) { $0.number < 14 }
        case .revoked:
            scene.row.revoked()
            #expect(numbers(scene.row.current) == numbers(scene.row.row))
        }
    }

    private func readBack(_ number: UInt64?, _ scene: inout Scene) throws {
        guard let number, let publication = scene.row.publications.first(where: { $0.number == number }) else { return }
        let effect = try readBack(number, &scene.row)
        #expect(effect.contains(.written))
        scene.lastRecord = numbers(publication.state)
    }
}
