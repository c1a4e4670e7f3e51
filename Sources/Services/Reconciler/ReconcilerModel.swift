internal import KeyedState
internal import Reconciliation

/// The state model for reconciliation. Rows are published in the format in which they are stored.
struct ReconcilerModel: StateModel {
    /// The index entry shared by all sweeps.
    static let sweepEntry = "sweep"

    func key(of state: ReconciliationRow) -> [UInt8] { state.key }

    func merge(_ other: ReconciliationRow, into state: inout ReconciliationRow) throws -> StateMerge {
        guard let isChanged = state.merge(other) else { throw RowFormatError.invalid }
        return StateMerge(isChanged: isChanged)
    }

    func encode(_ state: ReconciliationRow) -> [UInt8] { state.bytes }

    func decode(_ row: [UInt8]) throws -> ReconciliationRow {
        do throws(RowFormatError) {
            return try ReconciliationRow(bytes: row)
        } catch {
            throw StateError(error == .unknownFormat ? .newer : .damaged, "a row cannot be read: \(error)")
        }
    }

    func read(published value: [UInt8], at offset: Int64) throws -> ReconciliationRow {
        do throws(RowFormatError) {
            return try ReconciliationRow(bytes: value)
        } catch {
            guard error == .unknownFormat else { throw error }
            throw StateError(.newer, "a record has a format that this version does not support")
        }
    }

    func indexEntries(of state: ReconciliationRow) -> [IndexEntry] {
        state.sweep.map { [IndexEntry(Self.sweepEntry, $0.key)] } ?? []
    }

    func deadline(of state: ReconciliationRow) -> Int64? { state.sweep?.due }

    func expiry(of state: ReconciliationRow) -> Int64? {
        switch state {
        case .received(let received): received.expiry
        case .sweep(let sweep): sweep.expiry
        }
    }
}
