import Testing

@testable import Simulator

@Suite struct `Posting plans` {
    static let shares = [("0%", "0%"), ("15%", "5%"), ("100%", "0%"), ("0.5%", "20%"), ("33.33%", "10%")]

    @Test(arguments: shares) func `duplicates and disorder have exactly the requested shares`(
        duplicates: String, disorder: String
    ) throws {
        let duplicates = try #require(Percentage(text: duplicates))
        let disorder = try #require(Percentage(text: disorder))
        let series = try makeSeries(accounts: 40)
        for count in [1000, 2003] {
            let posts = Array(
                PostingPlan(
                    series: series, count: count, duplicates: duplicates, disorder: disorder, concurrentRuns: 40))
            #expect(posts.count == count + duplicates.of(count))
            #expect(posts.filter(\.isDuplicate).count == duplicates.of(count))
            #expect(posts.filter { $0.isLate && !$0.isDuplicate }.count == disorder.of(count))
            #expect(Set(posts.filter { !$0.isDuplicate }.map { [$0.run, $0.step] }).count == count)
        }
    }

    @Test(arguments: ["0%", "2.5%", "50%"])
    func `undelivered posts have exactly the requested share, without duplicates and late ones`(
        share: String
    ) throws {
        let share = try #require(Percentage(text: share))
        let ten = try #require(Percentage(text: "10%"))
        let series = try makeSeries(accounts: 40)
        let posts = Array(
            PostingPlan(
                series: series, count: 2000, duplicates: ten, disorder: ten, undelivered: share, concurrentRuns: 40))
        let lost = posts.filter(\.isUndelivered)
        #expect(lost.count == share.of(2000) && posts.count == 2200)
        #expect(lost.allSatisfy { !$0.isDuplicate && !$0.isLate })
        #expect(Set(posts.filter { !$0.isDuplicate }.map { [$0.run, $0.step] }).count == 2000)
        let duplicates = Set(posts.filter(\.isDuplicate).map { [$0.run, $0.step] })
        #expect(duplicates.count == 200 && duplicates.isDisjoint(with: lost.map { [$0.run, $0.step] }))
    }

    @Test func `a plan of later runs has the same number of other runs`() throws {
        let series = try makeSeries()
        let (first, later) = (
            Array(PostingPlan(series: series, runs: 50)), Array(PostingPlan(series: series, firstRun: 50, runs: 50))
        )
        #expect(Set(first.map(\.run)) == Set(0..<50) && Set(later.map(\.run)) == Set(50..<100))
        #expect(later.count == (50..<100).reduce(0) { $0 + series.scenario(of: $1).steps.count })
    }

    @Test func `only posts that may be lost are undelivered`() throws {
        let share = try #require(Percentage(text: "10%"))
        let posts = Array(
            PostingPlan(series: try makeSeries(), count: 1000, undelivered: share, mayBeLost: { $0.step > 0 }))
        let lost = posts.filter(\.isUndelivered)
        #expect(lost.count == 100 && lost.allSatisfy { $0.step > 0 })
    }

    @Test func `a duplicate follows its original, a late post its successor, and others keep their order`() throws {
        let percent = try #require(Percentage(text: "20%"))
        let posts = Array(PostingPlan(series: try makeSeries(), count: 3000, duplicates: percent, disorder: percent))
        var originals: Set<[Int]> = []
        var latest: [Int: Int] = [:]
        for post in posts {
            if post.isDuplicate {
                #expect(originals.contains([post.run, post.step]))
                continue
            }
            originals.insert([post.run, post.step])
            let before = latest[post.run] ?? -1
            #expect(post.isLate == (post.step < before))
            latest[post.run] = max(before, post.step)
        }
    }

    @Test func `the same seed yields the same plan`() throws {
        let percent = try #require(Percentage(text: "10%"))
        func plan(_ seed: UInt64) throws -> [PlannedPost] {
            Array(PostingPlan(series: try makeSeries(seed: seed), count: 500, duplicates: percent, disorder: percent))
        }
        #expect(try plan(1) == plan(1))
        #expect(try plan(1) != plan(2))
    }

    @Test func `without a count every scenario is played once`() throws {
        let plan = PostingPlan(series: try makeSeries())
        #expect(plan.count == Scenario.all.reduce(0) { $0 + $1.steps.count })
        #expect(Set(plan.map(\.run)).count == Scenario.all.count)
    }

    @Test func `without a count every account plays one scenario`() throws {
        let series = try makeSeries([try #require(Scenario.named("plan-kept"))], accounts: 5)
        let plan = PostingPlan(series: series, runs: 5)
        #expect(plan.count == 20 && Array(plan).count == 20)
    }

    @Test func `single notifications cannot be out of order`() throws {
        let series = try makeSeries([try #require(Scenario.named("test"))])
        let posts = Array(PostingPlan(series: series, count: 50, disorder: try #require(Percentage(text: "50%"))))
        #expect(posts.count == 50 && posts.allSatisfy { !$0.isLate })
    }

    @Test(arguments: [("15%", 1500), ("0", 0), ("100%", 10_000), ("0.25%", 25), ("2.5", 250)])
    func `percentages are parsed`(text: String, basisPoints: Int) {
        #expect(Percentage(text: text)?.basisPoints == basisPoints)
    }

    @Test(arguments: ["", "%", "101%", "-1%", "1.234%", "1e2", "٣%", "99999999999999999999", "1.", ".5", "15%%"])
    func `other text is not a percentage`(text: String) {
        #expect(Percentage(text: text) == nil)
    }
}
