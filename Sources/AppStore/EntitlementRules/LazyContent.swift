internal import JSON
internal import Synchronization

/// Content that is parsed from JSON text on first access. Merging usually needs only the version of a statement, so
/// most content is never parsed.
final class LazyContent<Content: Sendable>: Sendable {
    /// A reference to parsed content, so that reading one member does not copy everything.
    final class Box: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    /// The JSON text, or nil if only the content is available.
    let text: ArraySlice<UInt8>?
    /// The address of an owned reference to the parsed content (a ``Box``), set once; 0 until then. It is untyped,
    /// because an atomic value of a generic type looks up that type on every access.
    private let known: Atomic<UInt>

    /// - Parameter text: the JSON text of the content.
    init(_ content: Content, text: ArraySlice<UInt8>?) {
        self.text = text
        known = Atomic(UInt(bitPattern: Unmanaged.passRetained(Box(content)).toOpaque()))
    }

    /// Creates content that is parsed on first access.
    init(unread text: ArraySlice<UInt8>) {
        self.text = text
        known = Atomic(0)
    }

    deinit {
        guard let known = UnsafeRawPointer(bitPattern: known.load(ordering: .acquiring)) else { return }
        Unmanaged<AnyObject>.fromOpaque(known).release()
    }

    /// Returns the content. Concurrent first accesses all return the same object.
    ///
    /// - Parameter read: converts the parsed JSON text to content. It is called with nil if the text is not JSON.
    @inline(__always)
    func box(_ read: (JSONElement?) -> Content) -> Box {
        guard let known = UnsafeRawPointer(bitPattern: known.load(ordering: .acquiring)) else { return make(read) }
        return Unmanaged<Box>.fromOpaque(known).takeUnretainedValue()
    }

    private func make(_ read: (JSONElement?) -> Content) -> Box {
        let box = Box(read(text.flatMap { try? JSONDocument(Array($0)).root }))
        let reference = Unmanaged.passRetained(box)
        let (isSet, earlier) = known.compareExchange(
            expected: 0, desired: UInt(bitPattern: reference.toOpaque()), ordering: .acquiringAndReleasing)
        guard !isSet, let earlier = UnsafeRawPointer(bitPattern: earlier) else { return box }
        reference.release()
        return Unmanaged<Box>.fromOpaque(earlier).takeUnretainedValue()
    }
}
