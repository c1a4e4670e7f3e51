internal import JSON
internal import Synchronization

/// What a JSON text says, read when it is first asked for: merging asks most statements for their version alone.
final class LazyContent<Content: Sendable>: Sendable {
    /// One reference, because copying a content of many members takes longer than asking for one of them.
    final class Box: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    /// Nil where there is none: the content is given then.
    let text: ArraySlice<UInt8>?
    /// Owned, and set once. Not an `AtomicLazyReference`, whose calls look up the generic type each time.
    private let known: Atomic<Unmanaged<Box>?>

    /// - Parameter text: of the content.
    init(_ content: Content, text: ArraySlice<UInt8>?) {
        self.text = text
        known = Atomic(Unmanaged.passRetained(Box(content)))
    }

    /// A content that is read later, perhaps.
    init(unread text: ArraySlice<UInt8>) {
        self.text = text
        known = Atomic(nil)
    }

    deinit { known.load(ordering: .acquiring)?.release() }

    /// The content; the same whoever asks first.
    ///
    /// - Parameter read: reads the text; gets nil for one that is no JSON.
    @inline(__always)
    func box(_ read: (JSONElement?) -> Content) -> Box {
        known.load(ordering: .acquiring)?.takeUnretainedValue() ?? make(read)
    }

    private func make(_ read: (JSONElement?) -> Content) -> Box {
        let box = Box(read(text.flatMap { try? JSONDocument(Array($0)).root }))
        let reference = Unmanaged.passRetained(box)
        let (isSet, earlier) = known.compareExchange(
            expected: nil, desired: reference, ordering: .acquiringAndReleasing)
        guard !isSet, let earlier else { return box }
        reference.release()
        return earlier.takeUnretainedValue()
    }
}
