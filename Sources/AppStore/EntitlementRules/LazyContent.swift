internal import JSON
internal import Synchronization

/// Content that is parsed from JSON text on first access. Merging usually needs only the version of a statement, so
/// most content is never parsed.
final class LazyContent<Content: Sendable>: Sendable {
    /// A reference to parsed content, so that reading one member does not copy all of the content.
    final class Box: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    /// The JSON text, or nil if only the content was given.
    let text: ArraySlice<UInt8>?
    /// An owned reference to the parsed content, which is set once. `AtomicLazyReference` is not used, because it looks
    /// up the generic type at each call.
    private let known: Atomic<Unmanaged<Box>?>

    /// - Parameter text: the JSON text of the content.
    init(_ content: Content, text: ArraySlice<UInt8>?) {
        self.text = text
        known = Atomic(Unmanaged.passRetained(Box(content)))
    }

    /// Creates content that is parsed on first access.
    init(unread text: ArraySlice<UInt8>) {
        self.text = text
        known = Atomic(nil)
    }

    deinit { known.load(ordering: .acquiring)?.release() }

    /// Returns the content. Concurrent first accesses all return the same object.
    ///
    /// - Parameter read: converts the parsed JSON text to content. It is called with nil if the text is not JSON.
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
