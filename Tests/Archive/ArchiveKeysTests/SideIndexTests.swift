import ArchiveKeys
import ArchiveLog
import Foundation
import KafkaModel
import TestSupport
import Testing

struct SideIndexTests {
    private static let partition = KafkaTopicPartition(topic: "appstore.notifications.production", partition: 3)
    private static let uuid = "7E3FB204-2AB3-4C5F-8F0E-0D9C1B6A7E55"

    @Test func `a record is found by every identifier, and a UUID in either case`() throws {
        let disk = try StoreOnDisk()
        let index = try SideIndex(path: disk.directory.file("index.db"), store: try disk.open())
        let key = try ArchiveKeyId.ofNewKey().0
        let names = IndexedName.Kind.allCases.map { IndexedName($0, Self.uuid) }
        try index.add([IndexedEntry(leaf: 41, key: key, names: Set(names))], of: Self.partition, next: 42)
        for kind in IndexedName.Kind.allCases.map({ IndexedName($0, Self.uuid) }) {
            #expect(try index.places(of: kind) == [IndexedPlace(partition: Self.partition, leaf: 41, key: key)])
        }
        #expect(try index.places(of: IndexedName(.appAccountToken, Self.uuid.lowercased())).count == 1)
        #expect(try index.places(of: IndexedName(.transactionId, Self.uuid.lowercased())).isEmpty)
        #expect(try index.next(of: Self.partition) == 42)
        let other = KafkaTopicPartition(topic: Self.partition.topic, partition: 4)
        #expect(try index.next(of: other) == 0)
    }

    @Test func `adding the same entries again changes nothing, and the position never decreases`() throws {
        let disk = try StoreOnDisk()
        let index = try SideIndex(path: disk.directory.file("index.db"), store: try disk.open())
        let name = IndexedName(.transactionId, "1")
        for next in [10, 5] {
            try index.add([IndexedEntry(leaf: 4, key: nil, names: [name])], of: Self.partition, next: next)
        }
        #expect(try index.places(of: name).count == 1)
        #expect(try index.next(of: Self.partition) == 10)
        #expect(try !index.isEmpty())
        try index.removeAll()
        #expect(try index.isEmpty())
        #expect(try index.places(of: name).isEmpty)
    }

    @Test func `the file contains no identifiers, and no entries of records with destroyed keys`() throws {
        let disk = try StoreOnDisk()
        let path = disk.directory.file("index.db")
        let index = try SideIndex(path: path, store: try disk.open())
        let (erased, kept) = (try ArchiveKeyId.ofNewKey().0, try ArchiveKeyId.ofNewKey().0)
        for leaf in 0..<300 {
            let key = leaf % 3 == 0 ? erased : kept
            let names: Set = [
                IndexedName(.notificationUUID, "uuid-\(leaf)"), IndexedName(.transactionId, "20000\(leaf)"),
            ]
            try index.add([IndexedEntry(leaf: leaf, key: key, names: names)], of: Self.partition, next: leaf + 1)
        }
        #expect(try count(of: Array("uuid-".utf8), in: disk) == 0)
        #expect(try count(of: Array("20000".utf8), in: disk) == 0)
        try index.remove([erased])
        #expect(try index.places(of: IndexedName(.transactionId, "200003")).isEmpty)
        #expect(try index.places(of: IndexedName(.transactionId, "200004")).first?.key == kept)
        #expect(try index.next(of: Self.partition) == 300)
    }

    @Test func `an index of another key store is emptied`() throws {
        let (disk, other) = (try StoreOnDisk(), try StoreOnDisk())
        let path = disk.directory.file("index.db")
        let index = try SideIndex(path: path, store: try disk.open())
        try index.add(
            [IndexedEntry(leaf: 0, key: nil, names: [IndexedName(.transactionId, "1")])], of: Self.partition, next: 1)
        index.close()
        let again = try SideIndex(path: path, store: try disk.open())
        #expect(try again.places(of: IndexedName(.transactionId, "1")).count == 1)
        again.close()
        #expect(try SideIndex(path: path, store: try other.open()).isEmpty())
    }

    @Test func `records are indexed by all their identifiers`() {
        let value = Array(
            #"""
            {"notification":{"notificationType":"DID_RENEW"},"transaction":{"transactionId":"11",
            "originalTransactionId":"10","appAccountToken":"7E3FB204-2AB3-4C5F-8F0E-0D9C1B6A7E55"}}
            """#.utf8)
        let notification = KafkaRecord(
            topic: Self.partition.topic, partition: 3, offset: 0, key: Array("a/10".utf8), value: value,
            headers: [KafkaHeader(key: "ce_id", text: Self.uuid), KafkaHeader(key: "ce_subject", text: "10")])
        let expected: Set = [
            IndexedName(.notificationUUID, Self.uuid), IndexedName(.transactionId, "11"),
            IndexedName(.originalTransactionId, "10"), IndexedName(.appAccountToken, Self.uuid),
        ]
        #expect(IndexedName.names(of: notification, kind: .notification) == expected)
        #expect(IndexedName.names(of: notification, kind: .deadLetter) == expected)
        #expect(IndexedName.names(of: notification, kind: .certificate).isEmpty)
        let refund = KafkaRecord(
            topic: "appstore.refunds.production", partition: 3, offset: 0, key: Array("a/11".utf8),
            value: Array(
                #"{"formatVersion":1,"environment":"Production","bundleId":"a","transactionId":"11"}"#.utf8))
        #expect(IndexedName.names(of: refund, kind: .refund) == [IndexedName(.transactionId, "11")])
        let quarantined = KafkaRecord(
            topic: "appstore.quarantine", partition: 0, offset: 0, key: Array(Self.uuid.utf8), value: [0xFF])
        #expect(
            IndexedName.names(of: quarantined, kind: .quarantine) == [IndexedName(.notificationUUID, Self.uuid)])
        let unreadable = KafkaRecord(topic: "t", partition: 0, offset: 0, key: nil, value: [0xFF])
        #expect(IndexedName.names(of: unreadable, kind: .notification).isEmpty)
    }

    @Test func `an unread leaf is found by its key until it is read`() throws {
        let disk = try StoreOnDisk()
        let index = try SideIndex(path: disk.directory.file("index.db"), store: try disk.open())
        let key = try ArchiveKeyId.ofNewKey().0
        let name = IndexedName(.transactionId, "1")
        try index.add([], unread: [IndexedEntry(leaf: 7, key: key)], of: Self.partition, next: 8)
        let place = IndexedPlace(partition: Self.partition, leaf: 7, key: key)
        #expect(try index.unread() == [place])
        #expect(try index.places(ofKey: key).isEmpty)
        try index.resolve([IndexedEntry(leaf: 7, key: key, names: [name])], of: Self.partition)
        #expect(try index.unread().isEmpty)
        #expect(try index.places(of: name) == [place])
        #expect(try index.places(ofKey: key) == [place])
        try index.remove([key])
        #expect(try index.places(ofKey: key).isEmpty)
    }

    @Test func `an entry without identifiers is found by its key`() throws {
        let disk = try StoreOnDisk()
        let index = try SideIndex(path: disk.directory.file("index.db"), store: try disk.open())
        let key = try ArchiveKeyId.ofNewKey().0
        try index.add([IndexedEntry(leaf: 3, key: key)], of: Self.partition, next: 4)
        #expect(try index.places(ofKey: key).map(\.leaf) == [3])
    }

    @Test func `identifiers are read from version 1 bodies, signed texts, and keys of records without a value`() {
        let read = { (kind: ArchiveKind, key: String?, value: String) in
            IndexedName.names(
                of: KafkaRecord(
                    topic: "t", partition: 0, offset: 0, key: key.map { Array($0.utf8) }, value: Array(value.utf8)),
                kind: kind)
        }
        #expect(
            read(
                .quarantine, nil,
                #"{"unified_receipt":{"latest_receipt_info":[{"original_transaction_id":"10","#
                    + #""transaction_id":11,"web_order_line_item_id":"12"}]}}"#)
                == [
                    IndexedName(.originalTransactionId, "10"), IndexedName(.transactionId, "11"),
                    IndexedName(.webOrderLineItemId, "12"),
                ])
        // {"appTransactionId":"13"}
        #expect(
            read(.deadLetter, nil, #"{"x":["e30.eyJhcHBUcmFuc2FjdGlvbklkIjoiMTMifQ.c2ln"]}"#)
                == [IndexedName(.appTransactionId, "13")])
        #expect(
            read(.quarantine, nil, "e30.eyJhcHBUcmFuc2FjdGlvbklkIjoiMTMifQ.c2ln")
                == [IndexedName(.appTransactionId, "13")])
        #expect(read(.deadLetter, "com.example.app/14", "no JSON").contains(IndexedName(.originalTransactionId, "14")))
        #expect(read(.deadLetter, "com.example.app/14", "no JSON").contains(IndexedName(.externalPurchaseId, "14")))
        #expect(read(.notification, "com.example.app/14", "{}").isEmpty)
        #expect(read(.certificate, "com.example.app/14", #"{"transactionId":"1"}"#).isEmpty)
    }

    private func count(of needle: [UInt8], in disk: StoreOnDisk) throws -> Int {
        try disk.allBytes().values.count { $0.range(of: Data(needle)) != nil }
    }
}
