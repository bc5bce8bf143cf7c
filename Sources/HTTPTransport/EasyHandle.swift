import CCurl
import FeedCore
import Glibc

/// libcurl's handle of one transfer. Made once and used for many requests, one after another: what is the same for all
/// of them is set only once.
final class EasyHandle {
    /// Most images of a page fit, and come with one call.
    private static let bufferBytes = 64 << 10

    let pointer: UnsafeMutableRawPointer
    let errorText: UnsafeMutablePointer<CChar>
    /// libcurl doesn't copy it.
    private var headers: HeaderList?
    /// What the usual request of a feed has, made once.
    private let offeringEncodings = HeaderList()
    private var hasCredentials = false
    /// In the URL.
    private var hasLogin = false
    private(set) var usesNetrc = false
    private var isDiverted = false
    private var connectsAnew = false
    private var givesUpConnection = false
    /// The file that libcurl was built to take them from.
    private(set) var systemAuthorities: String?
    /// The directory that libcurl was built to take more of them from.
    private var systemAuthorityDirectory: String?
    private let general: NetworkSettings
    private var waitsForOthers = false
    /// As of the last request.
    private(set) var network: NetworkSettings
    /// That the request goes through.
    private(set) var proxy: String?

    init(_ settings: NetworkSettings) throws(FeedError) {
        guard let pointer = curl_easy_init() else { throw .connectivity("libcurl: out of memory") }
        self.pointer = pointer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        general = settings
        network = settings
        try configure(settings)
    }

    deinit {
        curl_easy_cleanup(pointer)
        errorText.deallocate()
    }

    /// `context` is passed to the callbacks and has to outlive them.
    func connect(
        to context: UnsafeMutableRawPointer, body: curl_write_callback, header: curl_write_callback,
        connected: curl_prereq_callback, opening: curl_opensocket_callback
    ) throws(FeedError) {
        try set(CURLOPT_PRIVATE, to: context)
        try set(CURLOPT_WRITEDATA, to: context)
        try set(CURLOPT_HEADERDATA, to: context)
        try set(CURLOPT_PREREQDATA, to: context)
        try set(CURLOPT_OPENSOCKETDATA, to: context)
        try check(ccurl_set_write_callback(pointer, CURLOPT_WRITEFUNCTION, body))
        try check(ccurl_set_write_callback(pointer, CURLOPT_HEADERFUNCTION, header))
        try check(ccurl_set_prereq_callback(pointer, connected))
        try check(ccurl_set_opensocket_callback(pointer, opening))
    }

    /// Has the connections closed by `callback`, which is passed `context`; both have to outlive the connections.
    func close(by context: UnsafeMutableRawPointer, _ callback: curl_closesocket_callback) throws(FeedError) {
        try set(CURLOPT_CLOSESOCKETDATA, to: context)
        try check(ccurl_set_closesocket_callback(pointer, callback))
    }

    /// Sets what this request needs and takes back what the one before it needed; mostly that is the URL alone.
    func prepare(for request: HTTPRequest, through proxy: ProxyChoice.Proxy?) throws(FeedError) {
        errorText[0] = 0
        if waitsForOthers != (request.url.scheme == .https) {
            waitsForOthers.toggle()
            // A connection that is being made may turn out to serve all requests to a host, once TLS is agreed on. Without
            // TLS there is but one request at a time, and libcurl would wait for the first answer to know that.
            try set(CURLOPT_PIPEWAIT, to: waitsForOthers ? 1 : 0)
        }
        // Most runs have one manner for all, which costs no comparison.
        if request.manner != nil || isDiverted {
            let wanted = request.manner?.network ?? general
            isDiverted = wanted != general
            if wanted != network { try apply(wanted) }
        }
        if self.proxy != proxy?.text {
            try set(CURLOPT_PROXY, to: proxy?.text ?? "")
            self.proxy = proxy?.text
        }
        let secrets = request.secrets == nil ? nil : request.secretsToSend
        let given = request.url.credentials ?? secrets?.credentials
        // A netrc file may have several names for a host, of which one without a password chooses: in the URL, as else it
        // goes without one.
        let asksNetrc = secrets?.usesNetrc == true && given?.utf8.contains(UInt8(ascii: ":")) != true
        let (login, credentials) = asksNetrc ? (given, nil) : (nil, given)
        try set(CURLOPT_URL, to: login.map(request.url.textToSend(withLogin:)) ?? request.url.textToSend)
        if hasLogin != (login != nil) {
            hasLogin.toggle()
            try set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: hasLogin ? 0 : 1)
        }
        if hasCredentials || credentials != nil {
            hasCredentials = true
            try set(credentials.map(Credentials.init(percentEncoded:)))
            hasCredentials = credentials != nil
        }
        if usesNetrc != asksNetrc {
            try set(CURLOPT_NETRC, to: asksNetrc ? CURL_NETRC_OPTIONAL : CURL_NETRC_IGNORED)
            usesNetrc = asksNetrc
        }
        let list = try headers(for: request, with: secrets?.headers ?? [])
        if headers !== list {
            try check(ccurl_set_header_list(pointer, list?.first))
            headers = list
        }
    }

    private func headers(for request: HTTPRequest, with lines: [String]) throws(FeedError) -> HeaderList? {
        guard request.isUsual, lines.isEmpty else { return try HeaderList(for: request, with: lines) }
        return request.mayBeCompressed ? offeringEncodings : nil
    }

    /// Sets whether the request opens a new connection instead of using an existing one.
    func connectAnew(_ wanted: Bool) throws(FeedError) {
        guard connectsAnew != wanted else { return }
        try set(CURLOPT_FRESH_CONNECT, to: wanted ? 1 : 0)
        connectsAnew = wanted
    }

    /// Whether its connection is closed once no request is on it any more.
    func giveUpConnection(_ wanted: Bool) throws(FeedError) {
        guard givesUpConnection != wanted else { return }
        try set(CURLOPT_FORBID_REUSE, to: wanted ? 1 : 0)
        givesUpConnection = wanted
    }

    func resume() -> CURLcode { curl_easy_pause(pointer, CURLPAUSE_CONT) }

    private func configure(_ settings: NetworkSettings) throws(FeedError) {
        try set(CURLOPT_ERRORBUFFER, to: UnsafeMutableRawPointer(errorText))
        // Timeouts by signal are not for programs with threads.
        try set(CURLOPT_NOSIGNAL, to: 1)
        try set(CURLOPT_PROTOCOLS_STR, to: "http,https")
        try set(CURLOPT_FOLLOWLOCATION, to: 0)
        // A URL's credentials are split off before it gets here; any left are an attempt to smuggle some in.
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
        try set(CURLOPT_SSLVERSION, to: CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_PROXY_SSLVERSION, to: CURL_SSLVERSION_TLSv1_2)
        // Empty, not left out: libcurl would else look into the environment.
        try set(CURLOPT_PROXY, to: "")
        try set(CURLOPT_NOPROXY, to: "")
        try set(CURLOPT_HTTP_VERSION, to: CURL_HTTP_VERSION_2TLS)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
        let bufferBytes = settings.rateLimit.map { TokenBucket(rate: $0).pieceBytes } ?? Self.bufferBytes
        try set(CURLOPT_BUFFERSIZE, to: bufferBytes)
        // Giving up a slow name look-up would else wait for it, and hold up every other transfer. The resolver's thread
        // cleans up after itself when it gets its answer.
        try set(CURLOPT_QUICK_EXIT, to: 1)
        systemAuthorities = text(CURLINFO_CAINFO)
        systemAuthorityDirectory = text(CURLINFO_CAPATH)
        try apply(settings)
    }

    /// What can differ from one request to the next.
    private func apply(_ settings: NetworkSettings) throws(FeedError) {
        try set(CURLOPT_CAINFO, to: settings.caFile ?? systemAuthorities)
        // libcurl would trust the system's directory besides the file.
        try set(CURLOPT_CAPATH, to: settings.caFile == nil ? systemAuthorityDirectory : nil)
        try set(CURLOPT_NETRC_FILE, to: settings.netrcFile)
        try set(CURLOPT_SSL_VERIFYPEER, to: settings.isInsecure ? 0 : 1)
        try set(CURLOPT_SSL_VERIFYHOST, to: settings.isInsecure ? 0 : 2)
        try set(CURLOPT_USERAGENT, to: settings.userAgent)
        try set(CURLOPT_CONNECTTIMEOUT_MS, to: settings.connectTimeout.timeoutMilliseconds)
        network = settings
    }

    private func text(_ info: CURLINFO) -> String? {
        var text: UnsafePointer<CChar>?
        ccurl_get_string(pointer, info, &text)
        return text.map { String(cString: $0) }
    }

    private func set(_ credentials: Credentials?) throws(FeedError) {
        try set(CURLOPT_USERNAME, to: credentials?.user)
        try set(CURLOPT_PASSWORD, to: credentials?.password)
    }

    private func set(_ option: CURLoption, to value: Int) throws(FeedError) {
        try check(ccurl_set_long(pointer, option, value))
    }

    private func set(_ option: CURLoption, to value: CURL_NETRC_OPTION) throws(FeedError) {
        try set(option, to: Int(value.rawValue))
    }

    private func set(_ option: CURLoption, to value: String?) throws(FeedError) {
        guard let value else { return try check(ccurl_set_string(pointer, option, nil)) }
        try check(value.withCString { ccurl_set_string(pointer, option, $0) })
    }

    private func set(_ option: CURLoption, to value: UnsafeMutableRawPointer) throws(FeedError) {
        try check(ccurl_set_pointer(pointer, option, value))
    }

    private func check(_ code: CURLcode) throws(FeedError) {
        guard code == CURLE_OK else { throw .connectivity("libcurl: \(String(cString: curl_easy_strerror(code)))") }
    }
}

/// What libcurl knows of the answer.
extension EasyHandle {
    /// Of the last answer that began, an interim one included; 0 before the first.
    var status: Int {
        var status = 0
        ccurl_get_long(pointer, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Whether the answer came over HTTP/2, whose connections take many requests at once.
    var isMultiplexed: Bool {
        var version = 0
        ccurl_get_long(pointer, CURLINFO_HTTP_VERSION, &version)
        return version == CURL_HTTP_VERSION_2_0
    }

    /// Whether the request has gone on connections alone that were there already.
    var hasReusedConnection: Bool {
        var made = 0
        ccurl_get_long(pointer, CURLINFO_NUM_CONNECTS, &made)
        return made == 0
    }

    /// Whether libcurl says that it has tried one connection after another that was there already. It says so only if
    /// it has nothing to tell of the last.
    var hasGivenUpReusing: Bool { String(cString: errorText).hasPrefix("Connection died, tried") }

    /// Of the proxy's answer to a request for a connection; 0 without one.
    var proxyStatus: Int {
        var status = 0
        ccurl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &status)
        return status
    }

    /// That a request may be answered from, as a person calls it.
    var netrcFile: String { network.netrcFile ?? "~/.netrc" }

    /// What libcurl says of a proxy that it can't make sense of; its code may be another failure's too. Not to be shown
    /// as it is: the proxy's password may stand in it.
    var complaintAboutProxy: String? {
        let text = String(cString: errorText)
        return text.hasPrefix("Unsupported proxy") ? text : nil
    }

    /// Nil when the server didn't say.
    var contentLength: Int64? {
        var length: curl_off_t = -1
        ccurl_get_offset(pointer, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
        return length < 0 ? nil : Int64(length)
    }

    /// Of the header with this name, in seconds or as a date; nil without one, or when it is over.
    var retryAfter: Duration? {
        var seconds: curl_off_t = 0
        ccurl_get_offset(pointer, CURLINFO_RETRY_AFTER, &seconds)
        // 68 years can be added to a clock.
        return seconds > 0 ? .seconds(min(Int64(seconds), 1 << 31)) : nil
    }

    /// As libcurl resolves a redirect's; nil for what is no URL to it. It does so by itself, too, but with the name and
    /// password in it that it took from a netrc file.
    static func resolve(_ location: String, against url: String) -> String? {
        guard let target = ccurl_resolve(url, location) else { return nil }
        defer { curl_free(target) }
        return String(validatingCString: target)
    }

    /// What libcurl says of the failure, else what the code means in general.
    func explanation(of code: CURLcode) -> String {
        // A small system has none.
        if code == CURLE_SSL_CACERT_BADFILE, network.caFile == nil, let systemAuthorities {
            return "no certificate authorities can be read from \(systemAuthorities): install ca-certificates, "
                + "or give --cacert"
        }
        let general = String(cString: curl_easy_strerror(code))
        guard errorText[0] != 0 else { return general }
        let text = String(cString: errorText)
        // A proxy that it can't make sense of is told of with its password.
        if let proxy, proxy.utf8.contains(UInt8(ascii: "@")), text.contains(proxy) { return general }
        return text
    }
}
