import FeedCore
import Testing

@Suite("Concurrency of a host")
struct HostConcurrencyTests {
    @Test(
        "The limit of a host starts as in browsers, or at the number that the user has set",
        arguments: [(nil, 6), (1, 1), (20, 20)])
    func beginning(fixedLimit: Int?, limit: Int) { #expect(HostConcurrency(fixedLimit: fixedLimit).limit == limit) }

    @Test(
        "Over HTTP/2 the limit grows with every response up to a hundred, unless the user has set it",
        arguments: [(nil, false, 6), (nil, true, 100), (4, true, 4)])
    func growth(fixedLimit: Int?, isMultiplexed: Bool, limit: Int) {
        var concurrency = HostConcurrency(fixedLimit: fixedLimit)
        for _ in 0..<200 { concurrency.record(.answered(isMultiplexed: isMultiplexed), since: 0) }
        #expect(concurrency.limit == limit)
    }

    @Test("The limit is halved when the host is busy, down to one")
    func halving() {
        var concurrency = HostConcurrency(fixedLimit: 9)
        var limits: [Int] = []
        for _ in 0..<5 {
            concurrency.record(.busy, since: concurrency.halvings)
            limits.append(concurrency.limit)
        }
        #expect(limits == [5, 3, 2, 1, 1])
    }

    @Test("The limit is halved once for all requests that started before the halving")
    func once() {
        var concurrency = HostConcurrency(fixedLimit: 8)
        for _ in 0..<8 { concurrency.record(.busy, since: 0) }
        #expect(concurrency.limit == 4)
    }

    @Test("A halved limit grows by one after a dozen responses, or as many as the limit, up to its maximum")
    func recovery() {
        var concurrency = HostConcurrency(fixedLimit: 40)
        concurrency.record(.busy, since: 0)
        #expect(concurrency.limit == 20)
        for _ in 0..<19 { concurrency.record(.answered(isMultiplexed: false), since: 1) }
        #expect(concurrency.limit == 20)
        concurrency.record(.answered(isMultiplexed: false), since: 1)
        #expect(concurrency.limit == 21)
        for _ in 0..<2000 { concurrency.record(.answered(isMultiplexed: false), since: 1) }
        #expect(concurrency.limit == 40)
    }

    @Test("A request without a response leaves the limit unchanged")
    func silence() {
        var concurrency = HostConcurrency(fixedLimit: nil)
        concurrency.record(.nothing, since: 0)
        #expect(concurrency.limit == 6)
    }

    @Test(
        "The limit settles at what a host takes: at most one response in ten says that it is busy",
        arguments: [1, 2, 3, 5])
    func settled(taken: Int) {
        var concurrency = HostConcurrency(fixedLimit: nil)
        var (inFlight, answers, busy) = ([Int](), 0, 0)
        while answers < 500 {
            while inFlight.count < concurrency.limit { inFlight.append(concurrency.halvings) }
            if inFlight.count > taken {
                busy += 1
                concurrency.record(.busy, since: inFlight.removeLast())
            }
            answers += 1
            concurrency.record(.answered(isMultiplexed: false), since: inFlight.removeFirst())
        }
        #expect(busy * 10 <= answers)
    }
}
