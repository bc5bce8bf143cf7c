import Testing

@testable import HTTPTransport

@Suite("What arrives of an answer")
struct ArrivalsTests {
    private let timeout = IdleTimeout(.seconds(30))

    private func moment(_ second: Int64) -> Instant { .init(nanoseconds: second * 1_000_000_000) }

    @Test("is late once less than 1 KiB has come since the last mark")
    func late() {
        var arrivals = StallDetector()
        #expect(arrivals.deadline(timeout) == nil)
        arrivals.setMark(at: moment(10))
        #expect(arrivals.deadline(timeout) == moment(40))
        #expect(arrivals.isSilent)
        arrivals.add(1, at: moment(20))
        arrivals.add(1022, at: moment(39))
        #expect(arrivals.deadline(timeout) == moment(40))
        #expect(!arrivals.isSilent)
        arrivals.add(1, at: moment(39))
        #expect(arrivals.deadline(timeout) == moment(69))
        #expect(arrivals.isSilent)
    }

    @Test("is not late by the time in which this side doesn't read, and gains nothing by it")
    func paused() {
        var arrivals = StallDetector()
        arrivals.setMark(at: moment(0))
        for pause in 0..<5 as Range<Int64> {
            arrivals.add(1, at: moment(pause * 100 + pause))
            arrivals.pause(at: moment(pause * 100 + pause + 1))
            #expect(arrivals.deadline(timeout) == nil)
            arrivals.resume(at: moment((pause + 1) * 100 + pause + 1))
        }
        #expect(arrivals.deadline(timeout) == moment(530))
    }
}
