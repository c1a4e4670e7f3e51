/// A first-in, first-out queue with amortized constant-time operations.
@usableFromInline
package struct FIFO<Element> {
    /// The elements. A removed element is replaced by nil to release it.
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
            // Removal moves all remaining elements, so remove in large batches.
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
