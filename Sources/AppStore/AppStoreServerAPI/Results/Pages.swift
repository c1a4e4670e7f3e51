/// The pages of a history, each fetched with one request.
///
/// The sequence ends after the last page. If Apple announces another page but repeats a cursor or sends no usable one,
/// the current page is returned, and the next call throws a failure of kind `unreadable`, because reading might never
/// end.
package struct Pages<Page: Sendable>: Sendable {
    /// A page and its continuation cursor.
    struct Fetched: Sendable {
        let page: Page
        let cursor: String?
        let hasMore: Bool
    }

    private enum Position: Sendable {
        case next
        case end
        case repeated
    }

    /// The maximum length of a cursor, which becomes part of a URL.
    private static var longestCursor: Int { 4096 }

    private let fetch: @Sendable (String?) async throws(APIError) -> Fetched
    private let reportRepeat: @Sendable () -> Void
    /// The cursors used so far.
    private var seen: Set<String> = []
    private var position = Position.next
    /// The cursor for the page after the last one returned. Use it to resume after a failure or in another process.
    package private(set) var cursor: String?

    init(
        from cursor: String?, reportRepeat: @escaping @Sendable () -> Void,
        fetch: @escaping @Sendable (String?) async throws(APIError) -> Fetched
    ) {
        self.cursor = cursor
        self.reportRepeat = reportRepeat
        self.fetch = fetch
        if let cursor { seen.insert(cursor) }
    }

    /// Returns the next page, or nil after the last page. After a failed request, calling again requests the same page.
    package mutating func next() async throws(APIError) -> Page? {
        switch position {
        case .end: return nil
        case .repeated:
            position = .end
            throw .unreadable("the response announces another page without a new revision or token")
        case .next: break
        }
        let fetched = try await fetch(cursor)
        if !fetched.hasMore {
            position = .end
        } else if let next = fetched.cursor, (1...Self.longestCursor).contains(next.utf8.count),
            seen.insert(next).inserted
        {
            position = .next
        } else {
            position = .repeated
            reportRepeat()
        }
        if let next = fetched.cursor { cursor = next }
        return fetched.page
    }
}
