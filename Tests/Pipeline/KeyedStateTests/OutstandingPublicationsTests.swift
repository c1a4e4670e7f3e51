import Testing

@testable import KeyedState

struct OutstandingPublicationsTests {
    private let outstanding = OutstandingPublications()

    @Test func `publications that are sent one after the other are alone`() {
        outstanding.sent(1)
        #expect(outstanding.answered(1))
        outstanding.sent(2)
        #expect(outstanding.answered(2))
    }

    @Test func `a publication sent while another is outstanding is not alone, and neither is the other`() {
        outstanding.sent(1)
        outstanding.sent(2)
        #expect(!outstanding.answered(1))
        #expect(!outstanding.answered(2))
        outstanding.sent(3)
        #expect(outstanding.answered(3))
    }

    @Test func `the answer to one of two publications does not leave the other alone`() {
        outstanding.sent(1)
        outstanding.sent(2)
        #expect(!outstanding.answered(2))
        #expect(!outstanding.answered(1))
    }

    @Test func `a publication sent after the answer to the first of two overlaps with the second`() {
        outstanding.sent(1)
        outstanding.sent(2)
        #expect(!outstanding.answered(1))
        outstanding.sent(3)
        #expect(!outstanding.answered(2))
        #expect(!outstanding.answered(3))
    }
}
