internal import AppStoreModel
internal import AppStoreVerification
internal import Foundation
internal import Kafka
internal import Records
internal import Simulator

/// A backlog of any length, with records as the ingress writes them to a notification topic. It repeats the
/// subscriptions of a corpus for additional customers.
struct NotificationBacklog {
    /// The order of notifications across customers.
    enum Order {
        /// Between two notifications of a customer there is one for every other customer, as when subscriptions renew
        /// monthly. A batch never contains two notifications of a customer, and the customer's row is not in any cache.
        case spread
        /// Between two notifications of a customer there are notifications of 63 other customers, as posted by the
        /// simulator. A batch often contains two notifications of a customer.
        case interleaved
    }

    /// The records of one subscription, and the byte positions that identify the customer.
    private struct Life {
        let records: [Template]
    }

    private struct Template {
        let record: KafkaProducerRecord
        /// The byte positions of the three characters in an identifier that distinguish customers.
        let places: [Int]
        let keyPlaces: [Int]
        /// The byte positions of the same characters in each header.
        let headerPlaces: [[Int]]

        func key(of copy: Int) -> [UInt8] { Self.naming(copy, in: record.key, keyPlaces) ?? [] }

        func record(of copy: Int) -> KafkaProducerRecord {
            var record = record
            record.key = Self.naming(copy, in: record.key, keyPlaces)
            record.value = Self.naming(copy, in: record.value, places)
            record.headers = zip(record.headers, headerPlaces).map { header, places in
                places.isEmpty
                    ? header : KafkaHeader(key: header.key, value: Self.naming(copy, in: header.value, places))
            }
            return record
        }

        private static func naming(_ copy: Int, in bytes: [UInt8]?, _ places: [Int]) -> [UInt8]? {
            guard var bytes, !places.isEmpty else { return bytes }
            let digits = [(200 + copy) / 100 % 10, copy / 10 % 10, copy % 10]
            for place in places {
                for (index, digit) in digits.enumerated() {
                    bytes[place + index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                }
            }
            return bytes
        }
    }

    let topic: KafkaTopic
    let order: Order
    /// The number of notifications per customer.
    let stepCount: Int
    let customers: Int
    private let lives: [Life]

    var count: Int { customers * stepCount }

    /// The maximum number of customers derived from one subscription.
    private static let maximumCopies = 799

    /// - Parameters:
    ///   - verified: the notifications of the corpus in order; subscriptions without all steps are omitted.
    ///   - count: the minimum number of records, as far as the corpus allows.
    ///   - steps: the maximum number of notifications per customer; the first ones are used.
    init(
        _ verified: [VerifiedNotification], topic: KafkaTopic, count: Int, order: Order, steps: Int = .max,
        at now: Int64
    ) throws {
        self.topic = topic
        self.order = order
        var stories: [OriginalTransactionId: [KafkaProducerRecord]] = [:]
        for notification in verified {
            guard let record = KafkaProducerRecord(notification, to: topic, receivedAt: now),
                let id = notification.transactionEnvelope?.originalTransactionId.value
            else { throw BenchFailure("a notification of the corpus cannot become a record") }
            stories[id, default: []].append(record)
        }
        let length = stories.values.map(\.count).max() ?? 0
        let stepCount = min(length, max(1, steps))
        self.stepCount = stepCount
        lives = stories.filter { $0.value.count == length }.sorted { $0.key < $1.key }.map { id, records in
            Life(records: records.prefix(stepCount).map { Self.template($0, of: id.rawValue) })
        }
        guard !lives.isEmpty, stepCount > 0 else { throw BenchFailure("the corpus has no complete subscription") }
        customers = min((count + stepCount - 1) / stepCount, lives.count * Self.maximumCopies)
    }

    /// Returns the key of the record at this index in the backlog.
    func key(at index: Int) -> [UInt8] {
        let customer = place(index).customer
        let (copy, life) = customer.quotientAndRemainder(dividingBy: lives.count)
        return lives[life].records[0].key(of: copy)
    }

    /// Returns the step and the customer at this index in the backlog.
    func place(_ index: Int) -> (step: Int, customer: Int) {
        let width = order == .spread ? customers : 64
        let (group, rest) = index.quotientAndRemainder(dividingBy: width * stepCount)
        let (step, customer) = rest.quotientAndRemainder(dividingBy: min(width, customers - group * width))
        return (step, group * width + customer)
    }

    /// Returns the record at this index in the backlog.
    subscript(index: Int) -> KafkaProducerRecord {
        let (step, customer) = place(index)
        let (copy, life) = customer.quotientAndRemainder(dividingBy: lives.count)
        return lives[life].records[step].record(of: copy)
    }

    private static func template(_ record: KafkaProducerRecord, of id: String) -> Template {
        // All transactions of a subscription share these digits. The first three identify the customer.
        let needles = [String(id.prefix(12))] + names(in: record)
        func places(in bytes: [UInt8]?) -> [Int] {
            guard let bytes else { return [] }
            // Replace identifiers only before the member `proof`, which contains Apple's signatures.
            let end = bytes.firstRange(of: Array(",\"proof\"".utf8))?.lowerBound ?? bytes.count
            return needles.flatMap { bytes[..<end].ranges(of: Array($0.utf8)).map(\.lowerBound) }
        }
        return Template(
            record: record, places: places(in: record.value), keyPlaces: places(in: record.key),
            headerPlaces: record.headers.map { places(in: $0.value) })
    }

    /// Returns the identifiers of the customer and of the notification, but not those of the transactions.
    private static func names(in produced: KafkaProducerRecord) -> [String] {
        guard let record = try? NotificationRecord(key: nil, value: produced.value, headers: produced.headers) else {
            return []
        }
        return [
            record.notificationUUID?.rawValue, record.transaction?.appAccountToken?.rawValue,
            record.transaction?.appTransactionId?.rawValue,
        ].compactMap { $0 }
    }
}
