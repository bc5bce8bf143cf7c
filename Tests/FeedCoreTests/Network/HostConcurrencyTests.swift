import FeedCore
import Testing

@Suite("A host's share of the requests")
struct HostShareTests {
    @Test("begins as browsers have it, or with the number that was asked for", arguments: [(nil, 6), (1, 1), (20, 20)])
    func beginning(asked: Int?, places: Int) { #expect(HostConcurrency(asked: asked).places == places) }

    @Test(
        "grows over HTTP/2 with every answer, up to a hundred, unless a number was asked for",
        arguments: [(nil, false, 6), (nil, true, 100), (4, true, 4)])
    func growth(asked: Int?, isMultiplexed: Bool, places: Int) {
        var share = HostConcurrency(asked: asked)
        for _ in 0..<200 { share.learn(.answered(isMultiplexed: isMultiplexed), since: 0) }
        #expect(share.places == places)
    }

    @Test("is halved when the host is busy, at least to one")
    func halving() {
        var share = HostConcurrency(asked: 9)
        var places: [Int] = []
        for _ in 0..<5 {
            share.learn(.busy, since: share.halvings)
            places.append(share.places)
        }
        #expect(places == [5, 3, 2, 1, 1])
    }

    @Test("is halved once for all that set out before that")
    func once() {
        var share = HostConcurrency(asked: 8)
        for _ in 0..<8 { share.learn(.busy, since: 0) }
        #expect(share.places == 4)
    }

    @Test("gets one back for a dozen answers, or as many as it has places, up to what it was")
    func recovery() {
        var share = HostConcurrency(asked: 40)
        share.learn(.busy, since: 0)
        #expect(share.places == 20)
        for _ in 0..<19 { share.learn(.answered(isMultiplexed: false), since: 1) }
        #expect(share.places == 20)
        share.learn(.answered(isMultiplexed: false), since: 1)
        #expect(share.places == 21)
        for _ in 0..<2000 { share.learn(.answered(isMultiplexed: false), since: 1) }
        #expect(share.places == 40)
    }

    @Test("learns nothing from what was never answered")
    func silence() {
        var share = HostConcurrency(asked: nil)
        share.learn(.nothing, since: 0)
        #expect(share.places == 6)
    }

    @Test("stays by what a host takes: hardly an answer in ten says that it is busy", arguments: [1, 2, 3, 5])
    func settled(taken: Int) {
        var share = HostConcurrency(asked: nil)
        var (inFlight, answers, busy) = ([Int](), 0, 0)
        while answers < 500 {
            while inFlight.count < share.places { inFlight.append(share.halvings) }
            if inFlight.count > taken {
                busy += 1
                share.learn(.busy, since: inFlight.removeLast())
            }
            answers += 1
            share.learn(.answered(isMultiplexed: false), since: inFlight.removeFirst())
        }
        #expect(busy * 10 <= answers)
    }
}
