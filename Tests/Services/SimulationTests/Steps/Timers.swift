/// The clock of a simulation and what happens at later moments. Times are milliseconds since 1970.
struct Timers {
    private struct Timer {
        let at: Int64
        let number: Int
        let action: () -> Void
    }

    /// Pending timers, the next one last.
    private var timers: [Timer] = []
    private var count = 0
    private(set) var now: Int64

    init(now: Int64) { self.now = now }

    /// The time of the next timer; nil if there is none.
    var next: Int64? { timers.last?.at }

    mutating func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        count += 1
        let timer = Timer(at: now + max(1, milliseconds), number: count, action: action)
        let index = timers.firstIndex { ($0.at, $0.number) < (timer.at, timer.number) } ?? timers.count
        timers.insert(timer, at: index)
    }

    var isEmpty: Bool { timers.isEmpty }

    /// Moves the clock to the next timer and returns the action of that timer.
    mutating func advance() -> (() -> Void)? {
        guard let timer = timers.popLast() else { return nil }
        now = max(now, timer.at)
        return timer.action
    }
}
