/// A queue: first in, first out, each in constant time on average.
struct FIFO<Element> {
    /// What was taken is `nil`, so that it is not kept alive.
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        elements[head] = nil
        head += 1
        // A removal moves all that follows, so it is done in large pieces.
        if head >= 256, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll() {
        elements = []
        head = 0
    }
}
