internal import AppStoreModel
internal import JSON

// The fields of a transaction: transactionId relative to the previous one; index of the traits; start relative to the
// previous start; expiry relative to the start, or `=` for a period of the same length as the previous one; signedDate
// relative to the start; tie break of the version; revocation relative to the start; 1 if authenticated only by a
// shared secret.

extension Transactions {
    /// Writes `traits`, with each distinct value once, and `transactions`.
    func write(to object: inout JSONWriter) {
        guard !values.isEmpty else { return }
        var traits: [TransactionTraits] = []
        var dense = DenseWriter(reservingCapacity: values.count * 48)
        var previous: Int64 = 0
        var previousNumber: UInt64 = 0
        var previousLength: Int64?
        for transaction in values {
            let start = transaction.start.millisecondsSince1970
            dense.key(transaction.key, since: &previousNumber)
            dense.endField()
            dense.number(UInt64(Self.number(of: transaction.traits, in: &traits)))
            dense.endField()
            dense.signed(start - previous)  // both are bounded, so this cannot overflow
            dense.endField()
            let length = transaction.expiresDate.map { $0.millisecondsSince1970 - start }
            if let length { if length == previousLength { dense.same() } else { dense.signed(length) } }
            dense.endField()
            dense.instant(transaction.version.signedDate, since: start)
            dense.endField()
            dense.tieBreak(transaction.version.tieBreak)
            dense.endField()
            if let revocationDate = transaction.revocationDate { dense.instant(revocationDate, since: start) }
            dense.endField()
            if !transaction.version.isSigned { dense.number(1) }
            dense.endEntry()
            previous = start
            previousLength = length
        }
        object.array("traits") { array in for one in traits { array.text(one.text) } }
        object.name("transactions")
        object.text(dense.json)
    }

    /// Returns the index of the traits, which are appended if they are not known yet. There are few distinct values,
    /// and equal values are usually the same object.
    private static func number(of traits: TransactionTraits, in known: inout [TransactionTraits]) -> Int {
        if let number = known.firstIndex(where: { $0 === traits }) ?? known.firstIndex(of: traits) { return number }
        known.append(traits)
        return known.count - 1
    }

    /// Reads the output of ``write(to:)``, or returns nil for any other text.
    init?(dense reader: DenseReader, traits: [TransactionTraits]) {
        guard let values = Self.statements(dense: reader, traits: traits) else { return nil }
        if values.count <= FactsBounds.periods, Self.areOrdered(values) {
            self.init(ordered: values)
        } else {
            self.init()
            for value in values { _ = take(value) }
        }
    }

    /// Reads the statements in the output of ``write(to:)``, or returns nil for any other text.
    static func statements(dense reader: DenseReader, traits: [TransactionTraits]) -> [TransactionFacts]? {
        var reader = reader
        var values: [TransactionFacts] = []
        // An entry takes about 24 bytes. Most purchases have few transactions, and usually one more is merged.
        values.reserveCapacity(min(FactsBounds.periods, reader.byteCount / 24) + 2)
        var previous: Int64 = 0
        var previousNumber: UInt64 = 0
        var previousLength: Int64?
        while !reader.isAtEnd {
            guard let key = reader.key(since: &previousNumber), let number = reader.number(),
                number < UInt64(traits.count),
                let start = reader.instant(since: previous)
            else { return nil }
            previous = start.millisecondsSince1970
            if !reader.isSame() { previousLength = reader.signed() }
            guard let signedDate = reader.instant(since: previous) else { return nil }
            let tieBreak = reader.tieBreak()
            let revocationDate = reader.instant(since: previous)
            let isSigned = reader.number() == nil
            reader.endEntry()
            values.append(
                TransactionFacts(
                    key: key,
                    version: TransactionVersion(signedDate: signedDate, isSigned: isSigned, tieBreak: tieBreak),
                    start: start, expiresDate: previousLength.flatMap { DenseReader.instant($0, since: previous) },
                    revocationDate: revocationDate, traits: traits[Int(number)]))
        }
        return reader.isMalformed ? nil : values
    }

    /// Returns whether the transactions are sorted and unique, as this library writes them.
    private static func areOrdered(_ values: [TransactionFacts]) -> Bool {
        // A bit set of the IDs seen so far. An ID is compared with the earlier ones only if its bit is already set.
        var seen: UInt64 = 0
        for index in values.indices {
            let key = values[index].key
            let bit: UInt64 = if case .number(let number) = key { 1 << ((number ^ number >> 17) & 63) } else { .max }
            if seen & bit != 0, values[..<index].contains(where: { $0.key == key }) { return false }
            seen |= bit
            if index > 0, !TransactionFacts.isOrdered(values[index - 1], values[index]) { return false }
        }
        return true
    }
}

extension DenseWriter {
    /// Writes the first bytes of a notificationUUID, as a 32-bit number if they are eight lowercase hexadecimal digits.
    fileprivate mutating func tieBreak(_ tieBreak: UInt64) {
        guard tieBreak != 0 else { return }
        var short: UInt64 = 0
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            let byte = UInt8(truncatingIfNeeded: tieBreak >> shift)
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): short = short << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): short = short << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default:
                // In the rare case of other bytes, write the tie break itself, which is greater than any 32-bit number.
                number(tieBreak)
                return
            }
        }
        number(short)
    }
}

extension DenseReader {
    fileprivate mutating func tieBreak() -> UInt64 {
        guard let number = number() else { return 0 }
        guard number >> 32 == 0 else { return number }
        var tieBreak: UInt64 = 0
        for shift in stride(from: UInt64(28), through: 0, by: -4) {
            let digit = number >> shift & 15
            tieBreak = tieBreak << 8 | (digit < 10 ? 0x30 + digit : 0x61 - 10 + digit)
        }
        return tieBreak
    }
}
