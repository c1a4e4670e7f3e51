/// A queue: first in, first out, each in constant time on average.
@usableFromInline
package struct FIFO<Element> {
    /// What was taken is nil, so that it is not kept alive.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { head == elements.count }
    @inlinable package var count: Int { elements.count - head }
    @inlinable package var first: Element? { isEmpty ? nil : elements[head] }

    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    @inlinable package mutating func popFirst() -> Element? {
        guard head < elements.count, let element = elements[head].take() else { return nil }
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: head <= 4096)
            head = 0
        } else if head >= 256, head * 2 >= elements.count {
            // A removal moves all that follows, so it is done in large pieces.
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    @inlinable package mutating func removeAll() {
        elements = []
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
