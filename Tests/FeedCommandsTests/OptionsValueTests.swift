import FeedCore
import Testing

@testable import FeedCommands

@Suite("The values of options")
struct OptionsValueTests {
    @Test(
        "an age is a number with a unit, or forever",
        arguments: [
            ("90s", MaxAge.span(.seconds(90))), ("15m", .span(.seconds(900))), ("36h", .span(.seconds(129_600))),
            ("7d", .standard), ("2w", .span(.seconds(1_209_600))), ("1y", .span(.seconds(31_536_000))),
            ("forever", .forever), ("0s", .span(.zero)),
            ("007d", .standard),
        ])
    func age(text: String, expected: MaxAge) throws {
        #expect(try settings(["--max-age", text])?.maxAge == expected)
    }

    @Test(
        "other texts are refused as an age",
        arguments: [
            "", "7", "d", "-7d", "+7d", "7 d", "7D", "1.5d", "7dd", "1d12h", "Forever", "7d ", "٧d", "7x",
            "9223372036854775807w", "15250284452472w", "99999999999999999999s", "200000w",
        ])
    func noAge(text: String) {
        let error = usageError(["--max-age", text])
        #expect(error?.exitCode == .usage)
        #expect(error?.message.contains("such as 36h or 7d, or forever") == true)
    }

    @Test(
        "a size is in bytes, or in powers of 1024",
        arguments: [
            ("500", 500), ("500K", 512_000), ("64M", 67_108_864), ("64m", 67_108_864), ("1G", 1_073_741_824),
            ("2t", 2_199_023_255_552), ("1", 1), ("1048576T", 1 << 60),
            ("64MB", 67_108_864), ("64MiB", 67_108_864), ("500B", 500), ("1kib", 1024),
        ] as [(String, Int64)])
    func size(text: String, expected: Int64) throws {
        #expect(try settings(["--max-filesize", text])?.maxFileSize == expected)
        #expect(try settings(["--max-feed-size", text])?.maxFeedSize == expected)
    }

    @Test(
        "other texts are refused as a size",
        arguments: [
            "", "0", "0K", "K", "-1", "+1", "1.5G", "64MBB", "64Mi", "iB", "1P", "0x10", "1 K", "1048577T",
            "9223372036854775807", "8388608T", "99999999999999999999",
        ])
    func noSize(text: String) {
        #expect(usageError(["--max-filesize", text])?.message.contains("such as 500, 500K, 64M or 1G") == true)
    }

    @Test(
        "--max-time is a number of seconds, or none",
        arguments: [("300", .seconds(300)), ("0.5", .milliseconds(500)), ("none", nil)] as [(String, Duration?)])
    func maxTime(text: String, expected: Duration?) throws {
        #expect(try settings(["--max-time", text])?.maxTime == expected)
    }

    @Test("--pages is a number, or all", arguments: [("1", 1), ("12", 12), ("all", .max)])
    func pages(text: String, expected: Int) throws {
        #expect(try settings(["--pages", text])?.pages == expected)
    }

    @Test("other texts are refused as --pages", arguments: ["", "0", "-1", "All", "none", "1.5", "2147483648"])
    func noPages(text: String) {
        #expect(usageError(["--pages", text])?.message.contains("or all") == true)
    }

    @Test(
        "other texts are refused as --max-time", arguments: ["", "0", "0.0", "-1", "5s", "None", "forever", "1000000"])
    func noMaxTime(text: String) {
        #expect(usageError(["--max-time", text])?.message.contains("or none") == true)
    }

    @Test(
        "a number of seconds may have decimals",
        arguments: [
            ("10", Duration.seconds(10)), ("0.5", .milliseconds(500)), (".5", .milliseconds(500)),
            ("2.25", .milliseconds(2250)),
            ("0.000000001", .nanoseconds(1)), ("1.000000001", .seconds(1) + .nanoseconds(1)), ("010", .seconds(10)),
            ("999999.9", .milliseconds(999_999_900)),
        ])
    func seconds(text: String, expected: Duration) throws {
        #expect(try settings(["--timeout", text])?.timeout == expected)
        #expect(try settings(["--connect-timeout", text])?.connectTimeout == expected)
        #expect(try settings(["--lock-wait", text])?.lockWait == expected)
    }

    @Test("zero seconds are valid for --lock-wait, but not for a timeout")
    func noTime() throws {
        #expect(try settings(["--lock-wait", "0"])?.lockWait == .zero)
        for option in ["--timeout", "--connect-timeout"] {
            #expect(usageError([option, "0"])?.message.contains("seconds above 0") == true)
        }
    }

    @Test(
        "other texts are refused as seconds",
        arguments: [
            "", ".", "5.", "-1", "+1", "1e3", "1,5", "1.-5", "1.5.2", "inf", "nan", "10s", "1.0000000000x",
            "1000000", "99999999999999999999",
        ])
    func noSeconds(text: String) {
        #expect(usageError(["--timeout", text])?.message.contains("such as 30 or 0.5") == true)
    }

    @Test(
        "a number is decimal and positive", arguments: [("1", 1), ("16", 16), ("08", 8), ("2147483647", 2_147_483_647)])
    func count(text: String, expected: Int) throws {
        #expect(try settings(["--jobs", text])?.jobs == expected)
        #expect(try settings(["--max-per-host", text])?.maxPerHost == expected)
        #expect(try settings(["--max-redirs", text])?.maxRedirects == expected)
    }

    @Test(
        "other texts are refused as a number",
        arguments: ["", "-1", "+1", "1.0", "0x1", "four", " 1", "1 ", "٣", "2147483648", "99999999999999999999"])
    func noCount(text: String) {
        for option in ["--jobs", "--max-per-host", "--max-redirs"] {
            #expect(usageError([option, text])?.message.contains("expected a whole number from") == true)
        }
    }

    @Test("zero is valid for redirects, but not for jobs") func zero() throws {
        #expect(try settings(["--max-redirs=0"])?.maxRedirects == 0)
        #expect(usageError(["--jobs=0"]) != nil)
        #expect(usageError(["--max-per-host=0"]) != nil)
    }

    @Test(
        "a URL instead of a path is refused, and the message hides its password",
        arguments: OptionTable.all.filter(\.isPath),
        ["https://me:SECRET@h/feed.json", "HTTP://me:SECRET@h", "file:///srv/SECRET@h", "'https://me:SECRET@h/'"])
    func pathIsNoURL(option: OptionSpec, url: String) throws {
        var errors = [(usageError(["--\(option.long)", url]), ExitCode.usage)]
        if let variable = option.variable {
            errors.append((usageError(["status"], environment: [variable: url]), .configuration))
        }
        if option.isOfConfigFile {
            errors.append((usageError(["status"], config: "\(option.long) = \(url)"), .configuration))
        }
        for (error, code) in errors {
            let message = error?.message ?? ""
            #expect(error?.exitCode == code)
            #expect(message.contains("***@h") && message.contains(", not a URL"), "\(message)")
            #expect(!message.contains("SECRET"))
        }
    }

    @Test("an empty path is refused") func emptyPath() {
        #expect(usageError(["--cache="])?.message.contains("expected a path such as /var/cache/feedsync") == true)
        #expect(usageError(["image", feed, "-o", ""]) != nil)
    }

    @Test("a user agent with a control character is refused", arguments: ["a\r\nX: y", "a\nb", "\u{7F}", "\t"])
    func controlCharacters(text: String) {
        #expect(usageError(["--user-agent", text])?.message.contains("without control characters") == true)
    }

    @Test("a user agent is any other text, also an empty one", arguments: ["mirror/1.0 (we@example.com)", "", "é"])
    func userAgent(text: String) throws {
        #expect(try settings(["--user-agent", text])?.userAgent == text)
    }
}

@Suite("Options of the network")
struct OptionsNetworkTests {
    @Test(
        "a header is a line in the form of curl",
        arguments: ["X-Key: 1", "Authorization: Bearer a:b;c", "X-Empty;", "Accept:", "X-Ü: é"])
    func header(line: String) throws {
        #expect(try settings(["-H", line])?.headers == [line])
        #expect(try settings(["--header=\(line)"])?.headers == [line])
    }

    @Test("all headers count, in their order") func headers() throws {
        let given = ["-H", "B: 1", "--header", "A: 2", "-HB: 3"]
        #expect(try settings(given)?.headers == ["B: 1", "A: 2", "B: 3"])
    }

    @Test("headers on the command line replace those of the environment") func headersOverEnvironment() throws {
        let environment = ["FEEDSYNC_HEADER": "A: 1"]
        #expect(try settings([], environment: environment)?.headers == ["A: 1"])
        #expect(try settings(["-H", "B: 2", "-H", "C: 3"], environment: environment)?.headers == ["B: 2", "C: 3"])
    }

    @Test(
        "other texts are refused as a header, and the message hides them",
        arguments: [
            "s3cret", "", ": s3cret", ";", "X-Key: s3cret\r\nHost: x", "X-Key: s3cret\n", "s3 cret: 1", "@s3cret",
        ])
    func noHeader(line: String) {
        let error = usageError(["-H", line])
        #expect(error?.exitCode == .usage)
        #expect(
            error?.message == "invalid value for -H: expected a header such as 'X-Key: 1', without control characters")
        guard !line.isEmpty else { return }
        let variable = usageError([], environment: ["FEEDSYNC_HEADER": line])
        #expect(variable?.exitCode == .configuration)
        #expect(variable?.message.contains("s3") == false)
    }

    @Test(
        "a proxy is given in the form of curl, or as an empty value",
        arguments: [
            "http://me:pw@p:3128", "socks5h://p", "p:1", "http://me:p@w@p", "[::1]:3128", "http://p:8080/", "",
            "http://m%20e:%250a%7f%2f@p",
        ])
    func proxy(text: String) throws {
        #expect(try settings(["--proxy", text])?.proxy == text)
    }

    @Test("the proxy variables of the environment apply without --proxy") func noProxyOption() throws {
        #expect(try settings([])?.proxy == nil)
    }

    @Test(
        "an invalid proxy is refused, and the message hides it",
        arguments: [
            "http://me:s3cret@p\n", "me:s3cret p", "http://", "http://me:s3cret@", ":3128", "http://p:99999",
            "http://me:s3cret%0a@p", "http://%00me:s3cret@p", "me:s3cret%1F@p", "me:%25%10s3cret@p", "me:%%0As3cret@p",
        ])
    func noProxy(text: String) {
        let error = usageError(["--proxy", text])
        #expect(error?.exitCode == .usage)
        #expect(error?.message.hasPrefix("invalid value for --proxy: expected a proxy") == true)
        #expect(error?.message.contains("s3cret") == false)
        let variable = usageError([], environment: ["FEEDSYNC_PROXY": text])
        #expect(variable?.exitCode == .configuration)
        #expect(variable?.message.contains("s3cret") == false)
    }

    @Test(
        "a rate is a size per second", arguments: [("500K", 512_000), ("2M", 2_097_152), ("1", 1)] as [(String, Int64)])
    func rate(text: String, expected: Int64) throws {
        #expect(try settings(["--limit-rate", text])?.limitRate == expected)
    }

    @Test("other texts are refused as a rate", arguments: ["", "0", "-1", "2MBs", "1.5M", "fast", "None"])
    func noRate(text: String) {
        #expect(usageError(["--limit-rate", text])?.message.contains("bytes per second such as 500K") == true)
    }

    @Test("zero retries are valid") func retries() throws {
        #expect(try settings(["--retries", "0"])?.retries == 0)
        #expect(usageError(["--retries", "-1"]) != nil)
    }
}

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
