import FeedCore
import Testing

@testable import FeedCommands

@Suite("What the parts of a feed's images may do")
struct ShardLimitsTests {
    @Test(
        "parts by image divide the limits of a host and round up; parts by host do not divide them",
        arguments: [
            (["--shard", "0/4"], nil, nil), (["--shard", "0/4", "--shard-by", "image"], 2, nil),
            (["--shard", "0/4", "--shard-by", "image", "--max-per-host", "5", "--limit-rate", "10"], 2, 3),
            (["--shard", "0/4", "--max-per-host", "5", "--limit-rate", "10"], 5, 10),
            (["--shard", "0/100", "--shard-by", "image", "--max-per-host", "8"], 1, nil),
            (["--shard-by", "image", "--max-per-host", "8"], 8, nil),
        ] as [([String], Int?, Int64?)])
    func limits(arguments: [String], perHost: Int?, rate: Int64?) throws {
        let settings = try #require(try settings(arguments))
        #expect(settings.ownMaxPerHost == perHost)
        #expect(settings.network.rateLimit == rate)
    }
}
