package import AppStoreModel
internal import JSON

/// A part of a case, identified by its time on Apple's clock.
package protocol DatedPart: CasePart {
    /// The time on Apple's clock that identifies and orders parts.
    var date: AppStoreInstant { get }
}

/// The newest parts of one kind, in ascending date order. Merging them is a join, because dropping old parts before or
/// after a union gives the same result.
package struct DatedParts<Part: DatedPart>: Hashable, Sendable {
    /// The maximum number of parts. No customer is known to have had more decisions on one purchase.
    static var capacity: Int { 32 }

    package private(set) var all: [Part] = []

    package init() {}

    package var newest: Part? { all.last }

    mutating func insert(_ part: Part) {
        let index = all.firstIndex { $0.date >= part.date } ?? all.endIndex
        if index < all.endIndex, all[index].date == part.date {
            all[index] = .greater(all[index], part) ?? part
        } else {
            all.insert(part, at: index)
        }
        if all.count > Self.capacity { all.removeFirst(all.count - Self.capacity) }
    }

    mutating func merge(_ other: Self) { for part in other.all { insert(part) } }
}

extension JSONWriter {
    mutating func set<Part: DatedPart>(_ name: StaticString, _ parts: DatedParts<Part>) {
        guard !parts.all.isEmpty else { return }
        array(name) { array in
            for part in parts.all { array.object { part.write(to: &$0) } }
        }
    }
}

extension FieldReader {
    mutating func parts<Part: DatedPart>(_ name: StaticString) -> DatedParts<Part> {
        var parts = DatedParts<Part>()
        for part in objects(name).compactMap(Part.init(_:)) { parts.insert(part) }
        return parts
    }
}
