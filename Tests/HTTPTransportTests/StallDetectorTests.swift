import Testing

@testable import HTTPTransport

@Suite("The stall detector")
struct ArrivalsTests {
    private let timeout = IdleTimeout(.seconds(30))

    private func moment(_ second: Int64) -> Instant { .init(nanoseconds: second * 1_000_000_000) }

    @Test("a response is stalled if less than 1 KiB has arrived since the mark")
    func late() {
        var stallDetector = StallDetector()
        #expect(stallDetector.deadline(timeout) == nil)
        stallDetector.setMark(at: moment(10))
        #expect(stallDetector.deadline(timeout) == moment(40))
        #expect(stallDetector.isSilent)
        stallDetector.add(1, at: moment(20))
        stallDetector.add(1022, at: moment(39))
        #expect(stallDetector.deadline(timeout) == moment(40))
        #expect(!stallDetector.isSilent)
        stallDetector.add(1, at: moment(39))
        #expect(stallDetector.deadline(timeout) == moment(69))
        #expect(stallDetector.isSilent)
    }

    @Test("a pause neither counts as a stall nor extends the deadline")
    func paused() {
        var stallDetector = StallDetector()
        stallDetector.setMark(at: moment(0))
        for pause in 0..<5 as Range<Int64> {
            stallDetector.add(1, at: moment(pause * 100 + pause))
            stallDetector.pause(at: moment(pause * 100 + pause + 1))
            #expect(stallDetector.deadline(timeout) == nil)
            stallDetector.resume(at: moment((pause + 1) * 100 + pause + 1))
        }
        #expect(stallDetector.deadline(timeout) == moment(530))
    }
}
