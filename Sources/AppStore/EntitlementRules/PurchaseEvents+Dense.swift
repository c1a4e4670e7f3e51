internal import AppStoreModel
internal import JSON

// The fields of an event: index of the kind; signedDate relative to the previous event; notificationUUID as one field
// or two; status; transactionId relative to the previous one; 1 if authenticated only by a shared secret.

extension PurchaseEvents {
    /// Writes `eventKinds`, with each distinct pair of type and subtype once, and `events`.
    func write(to object: inout JSONWriter) {
        guard !values.isEmpty else { return }
        var kinds: [PurchaseEvent.Kind] = []
        var dense = DenseWriter(reservingCapacity: values.count * 64)
        var previous: Int64 = 0
        var previousNumber: UInt64 = 0
        for event in values {
            let number = kinds.firstIndex { $0 === event.kind } ?? kinds.firstIndex(of: event.kind) ?? kinds.count
            if number == kinds.count { kinds.append(event.kind) }
            dense.number(UInt64(number))
            dense.endField()
            dense.instant(event.signedDate, since: previous)
            dense.endField()
            if let uuid = event.uuid { dense.uuid(uuid) }
            dense.endField()
            if let status = event.status { dense.signed(Int64(status.rawValue)) }
            dense.endField()
            if let key = event.key { dense.key(key, since: &previousNumber) }
            dense.endField()
            if !event.isSigned { dense.number(1) }
            dense.endEntry()
            previous = event.signedDate.millisecondsSince1970
        }
        object.array("eventKinds") { array in
            for kind in kinds {
                array.array {
                    $0.string(kind.type.rawValue)
                    if let subtype = kind.subtype { $0.string(subtype.rawValue) }
                }
            }
        }
        object.name("events")
        object.text(dense.json)
    }

    /// Reads the output of ``write(to:)``, or returns nil for any other text.
    init?(dense reader: DenseReader, kinds: JSONElement?) {
        var known: [PurchaseEvent.Kind] = []
        var isMalformed = false
        kinds?.forEachElement { element in
            var type: NotificationType?
            var subtype: Subtype?
            element.forEachElement { text in
                guard let text = text.string else { return }
                if type == nil { type = NotificationType(text) } else { subtype = subtype ?? Subtype(text) }
            }
            guard let type else {
                isMalformed = true
                return
            }
            known.append(PurchaseEvent.Kind(type, subtype))
        }
        if isMalformed { return nil }
        self.init()
        // An entry takes about 40 bytes.
        reserveCapacity(min(FactsBounds.events, reader.byteCount / 40) + 2)
        var reader = reader
        var previous: Int64 = 0
        var previousNumber: UInt64 = 0
        while !reader.isAtEnd {
            guard let number = reader.number(), number < UInt64(known.count),
                let signedDate = reader.instant(since: previous)
            else { return nil }
            previous = signedDate.millisecondsSince1970
            let uuid = reader.uuid()
            let status = reader.signed().flatMap { Int32(exactly: $0) }
            let key = reader.key(since: &previousNumber)
            let isSigned = reader.number() == nil
            reader.endEntry()
            _ = take(
                PurchaseEvent(
                    signedDate: signedDate, isSigned: isSigned, uuid: uuid, kind: known[Int(number)],
                    key: key, status: status.map { SubscriptionStatus($0) }))
        }
        if reader.isMalformed { return nil }
    }
}
