import Testing

@testable import KeyedState

struct OtherFormSearchTests {
    private let pause = OtherFormSearch.pause

    @Test func `a pass that found no rows completes the search`() {
        var search = OtherFormSearch()
        let isComplete = search.end(at: 0)
        #expect(isComplete && search.isDue(at: 0))
    }

    @Test func `a pass that published rows is followed by another one at once`() {
        var search = OtherFormSearch()
        search.found(upTo: 3, areRefused: true)
        search.found(upTo: 7, areRefused: false)
        #expect(search.cursor == 7)
        var isComplete = search.end(at: 1_000)
        #expect(!isComplete && search.cursor == 0 && search.isDue(at: 1_000))
        isComplete = search.end(at: 1_000)
        #expect(isComplete)
    }

    @Test func `while brokers refuse all remaining rows, the database is searched once a minute`() {
        var search = OtherFormSearch()
        for start in [0, pause, 2 * pause] {
            #expect(search.isDue(at: start))
            search.found(upTo: 3, areRefused: true)
            let isComplete = search.end(at: start)
            #expect(!isComplete && !search.isDue(at: start + pause - 1))
        }
        // A later attempt to publish the row succeeded.
        let isComplete = search.end(at: 3 * pause)
        #expect(isComplete && search.isDue(at: 3 * pause))
    }
}
