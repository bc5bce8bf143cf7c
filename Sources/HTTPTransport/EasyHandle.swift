import CCurl
import FeedCore
import Glibc

/// Owns libcurl's handle of one transfer.
///
/// The handle serves many requests, one after another, so that common options are set only once.
final class EasyHandle {
    /// The receive buffer, which holds most images completely.
    private static let bufferBytes = 64 << 10

    let pointer: UnsafeMutableRawPointer
    let errorText: UnsafeMutablePointer<CChar>
    /// The header list of the request, which libcurl uses without a copy.
    private var headers: HeaderList?
    /// The header list of a usual request, which is built once.
    private let usualHeaders = HeaderList()
    private var hasCredentials = false
    /// Whether the URL contains a user name.
    private var urlHasUser = false
    private(set) var usesNetrc = false
    private var differsFromRun = false
    private var connectsAnew = false
    private var closesConnection = false
    /// The file of certificate authorities that is built into libcurl.
    private(set) var systemCAFile: String?
    /// The directory of certificate authorities that is built into libcurl.
    private var systemCADirectory: String?
    private let runSettings: NetworkSettings
    private var waitsForMultiplexing = false
    /// The settings of the last request.
    private(set) var network: NetworkSettings
    /// The proxy of the request.
    private(set) var proxy: String?

    init(_ settings: NetworkSettings) throws(FeedError) {
        guard let pointer = curl_easy_init() else { throw .connectivity("libcurl: out of memory") }
        self.pointer = pointer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        runSettings = settings
        network = settings
        try configure(settings)
    }

    deinit {
        curl_easy_cleanup(pointer)
        errorText.deallocate()
    }

    /// Installs the callbacks.
    ///
    /// They receive `context`, which must outlive them.
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

    /// Installs the callback that closes sockets.
    ///
    /// It receives `context`; both must outlive the connections.
    func close(by context: UnsafeMutableRawPointer, _ callback: curl_closesocket_callback) throws(FeedError) {
        try set(CURLOPT_CLOSESOCKETDATA, to: context)
        try check(ccurl_set_closesocket_callback(pointer, callback))
    }

    /// Sets the options that differ from those of the previous request; usually that is only the URL.
    func prepare(for request: HTTPRequest, through proxy: ProxyChoice.Proxy?) throws(FeedError) {
        errorText[0] = 0
        if waitsForMultiplexing != (request.url.scheme == .https) {
            waitsForMultiplexing.toggle()
            // A new TLS connection may turn out to multiplex all requests to a host, so that waiting for it pays. A
            // connection without TLS carries one request at a time, and libcurl would wait for its first response.
            try set(CURLOPT_PIPEWAIT, to: waitsForMultiplexing ? 1 : 0)
        }
        // The comparison is skipped if all requests of the run have the same settings.
        if request.manner != nil || differsFromRun {
            let wanted = request.manner?.network ?? runSettings
            differsFromRun = wanted != runSettings
            if wanted != network { try apply(wanted) }
        }
        if self.proxy != proxy?.text {
            try set(CURLOPT_PROXY, to: proxy?.text ?? "")
            self.proxy = proxy?.text
        }
        let secrets = request.secrets == nil ? nil : request.secretsToSend
        try prepareURL(of: request, with: secrets)
        let list = try headers(for: request, with: secrets?.headers ?? [])
        if headers !== list {
            try check(ccurl_set_header_list(pointer, list?.first))
            headers = list
        }
    }

    /// Sets the URL, and where its credentials come from.
    private func prepareURL(of request: HTTPRequest, with secrets: Secrets?) throws(FeedError) {
        let given = request.url.credentials ?? secrets?.credentials
        // A netrc file may have several entries for a host. The user name selects one only if it is in the URL.
        let asksNetrc = secrets?.usesNetrc == true && given?.utf8.contains(UInt8(ascii: ":")) != true
        let (user, credentials) = asksNetrc ? (given, nil) : (nil, given)
        try set(CURLOPT_URL, to: user.map(request.url.textToSend(withUser:)) ?? request.url.textToSend)
        if urlHasUser != (user != nil) {
            urlHasUser.toggle()
            try set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: urlHasUser ? 0 : 1)
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
    }

    private func headers(for request: HTTPRequest, with lines: [String]) throws(FeedError) -> HeaderList? {
        guard request.isUsual, lines.isEmpty else { return try HeaderList(for: request, with: lines) }
        return request.mayBeCompressed ? usualHeaders : nil
    }

    /// Sets whether the request opens a new connection instead of using an existing one.
    func useNewConnection(_ wanted: Bool) throws(FeedError) {
        guard connectsAnew != wanted else { return }
        try set(CURLOPT_FRESH_CONNECT, to: wanted ? 1 : 0)
        connectsAnew = wanted
    }

    /// Sets whether libcurl closes the connection after its last request.
    func closeConnectionAfterUse(_ wanted: Bool) throws(FeedError) {
        guard closesConnection != wanted else { return }
        try set(CURLOPT_FORBID_REUSE, to: wanted ? 1 : 0)
        closesConnection = wanted
    }

    func resume() -> CURLcode { curl_easy_pause(pointer, CURLPAUSE_CONT) }

    private func configure(_ settings: NetworkSettings) throws(FeedError) {
        try set(CURLOPT_ERRORBUFFER, to: UnsafeMutableRawPointer(errorText))
        // Timeouts by signal are unsafe in a program with threads.
        try set(CURLOPT_NOSIGNAL, to: 1)
        try set(CURLOPT_PROTOCOLS_STR, to: "http,https")
        try set(CURLOPT_FOLLOWLOCATION, to: 0)
        // The caller has removed the credentials of the URL, so that any in it are an injection attempt.
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, to: 1)
        try set(CURLOPT_SSLVERSION, to: CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_PROXY_SSLVERSION, to: CURL_SSLVERSION_TLSv1_2)
        // An empty value keeps libcurl from reading the environment.
        try set(CURLOPT_PROXY, to: "")
        try set(CURLOPT_NOPROXY, to: "")
        try set(CURLOPT_HTTP_VERSION, to: CURL_HTTP_VERSION_2TLS)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: 1)
        let bufferBytes = settings.rateLimit.map { TokenBucket(rate: $0).pieceBytes } ?? Self.bufferBytes
        try set(CURLOPT_BUFFERSIZE, to: bufferBytes)
        // Otherwise a cancelled name lookup would block all transfers until it completes. The resolver's thread cleans
        // up after itself.
        try set(CURLOPT_QUICK_EXIT, to: 1)
        systemCAFile = CertificateAuthorities.file(preferring: text(CURLINFO_CAINFO))
        systemCADirectory = text(CURLINFO_CAPATH)
        try apply(settings)
    }

    /// Sets the options that may differ between requests.
    private func apply(_ settings: NetworkSettings) throws(FeedError) {
        try set(CURLOPT_CAINFO, to: settings.caFile ?? systemCAFile)
        // A run with a file of its own trusts only that file.
        try set(CURLOPT_CAPATH, to: settings.caFile == nil ? systemCADirectory : nil)
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

/// The information that libcurl has about the response.
extension EasyHandle {
    /// The status of the latest response, interim ones included; 0 before the first.
    var status: Int {
        var status = 0
        ccurl_get_long(pointer, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// Whether the response came over HTTP/2, whose connections carry many requests at once.
    var isMultiplexed: Bool {
        var version = 0
        ccurl_get_long(pointer, CURLINFO_HTTP_VERSION, &version)
        return version == CURL_HTTP_VERSION_2_0
    }

    /// Whether the request has used only existing connections.
    var hasReusedConnection: Bool {
        var made = 0
        ccurl_get_long(pointer, CURLINFO_NUM_CONNECTS, &made)
        return made == 0
    }

    /// Whether libcurl has given up after several existing connections failed.
    ///
    /// It says so only if it has no other message.
    var hasGivenUpReusing: Bool { String(cString: errorText).hasPrefix("Connection died, tried") }

    /// The status of the proxy's response to CONNECT; 0 without one.
    var proxyStatus: Int {
        var status = 0
        ccurl_get_long(pointer, CURLINFO_HTTP_CONNECTCODE, &status)
        return status
    }

    /// The name of the netrc file, for messages.
    var netrcFile: String { network.netrcFile ?? "~/.netrc" }

    /// libcurl's message about a malformed proxy, or nil; the error code is ambiguous.
    ///
    /// The message may contain the proxy's password and must stay hidden.
    var proxyErrorMessage: String? {
        let text = String(cString: errorText)
        return text.hasPrefix("Unsupported proxy") ? text : nil
    }

    /// The announced length; nil if the response omits it.
    var announcedLength: Int64? {
        var length: curl_off_t = -1
        ccurl_get_offset(pointer, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
        return length < 0 ? nil : Int64(length)
    }

    /// The delay that a Retry-After header asks for; nil without one and for a past date.
    var retryAfter: Duration? {
        var seconds: curl_off_t = 0
        ccurl_get_offset(pointer, CURLINFO_RETRY_AFTER, &seconds)
        // The limit of 68 years keeps the sum with a clock in range.
        return seconds > 0 ? .seconds(min(Int64(seconds), 1 << 31)) : nil
    }

    /// Resolves the target of a redirect as libcurl does; nil for an invalid URL.
    ///
    /// libcurl's own result would contain the credentials that it took from a netrc file.
    static func resolve(_ location: String, against url: String) -> String? {
        guard let target = ccurl_resolve(url, location) else { return nil }
        defer { curl_free(target) }
        return String(validatingCString: target)
    }

    /// Returns libcurl's message about the failure, else the general meaning of the code.
    func explanation(of code: CURLcode) -> String {
        // A minimal system has no certificate authorities.
        if code == CURLE_SSL_CACERT_BADFILE, network.caFile == nil, let systemCAFile {
            return "no certificate authorities can be read from \(systemCAFile): install ca-certificates, "
                + "or give --cacert"
        }
        let general = String(cString: curl_easy_strerror(code))
        guard errorText[0] != 0 else { return general }
        let text = String(cString: errorText)
        // The message about a malformed proxy contains its password.
        if let proxy, proxy.utf8.contains(UInt8(ascii: "@")), text.contains(proxy) { return general }
        return text
    }
}
