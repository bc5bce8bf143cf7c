import CCurl
import FeedCore
import Glibc

/// libcurl's multi handle: many transfers on one thread, and the connections they share.
///
/// `@unchecked Sendable`: all calls but `wake` are made by the transfer thread alone, and that one libcurl takes from any.
final class MultiHandle: @unchecked Sendable {
    private let multi: UnsafeMutableRawPointer
    /// It outlives the connections, which it closes.
    let floodGuard = FloodGuard()

    /// Connections of up to `mostConnections` are kept for later requests.
    init(connectionsPerHost: Int, mostConnections: Int) throws(FeedError) {
        let code = CurlGlobal.initialised
        guard code == CURLE_OK else { throw .connectivity("libcurl: \(String(cString: curl_easy_strerror(code)))") }
        guard let multi = curl_multi_init() else { throw .connectivity("libcurl: out of memory") }
        self.multi = multi
        // Without the descriptors for it a wake-up would be lost without a word, and the run with it.
        guard curl_multi_wakeup(multi) == CURLM_OK else {
            curl_multi_cleanup(multi)
            throw .connectivity("libcurl: there is nothing to wake transfers with; too many files are open")
        }
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, min(mostConnections, Self.connectionsForFiles))
    }

    deinit { curl_multi_cleanup(multi) }

    /// Each is a file of the process, which has others to open.
    private static var connectionsForFiles: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
        return max(1, Int(clamping: limit.rlim_cur) / 4)
    }

    func add(_ easy: EasyHandle) throws(FeedError) {
        let code = curl_multi_add_handle(multi, easy.pointer)
        guard code == CURLM_OK else { throw .connectivity("libcurl: \(String(cString: curl_multi_strerror(code)))") }
    }

    /// The connection is kept for others if the transfer has ended, or shares it, and closed if it was under way alone. One
    /// that wasn't added is left as it is.
    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(multi, easy.pointer) }

    /// Moves every transfer on as far as it goes without waiting.
    func perform() -> CURLMcode {
        var running: Int32 = 0
        return curl_multi_perform(multi, &running)
    }

    /// The next transfer that has ended, by what was set as its private pointer.
    func nextEnded() -> (context: UnsafeMutableRawPointer, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            var context: UnsafeMutableRawPointer?
            ccurl_get_private(message.pointee.easy_handle, &context)
            if let context { return (context, ccurl_message_result(message)) }
        }
        return nil
    }

    /// Waits until a connection or a timer of libcurl's needs attention, `wake` is called, or the time is up.
    func wait(milliseconds: Int32) -> CURLMcode {
        curl_multi_poll(multi, nil, 0, milliseconds, nil)
    }

    func wake() { curl_multi_wakeup(multi) }
}

private enum CurlGlobal {
    /// Once for the process; never taken back, as other threads may be inside libcurl until the very end.
    static let initialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
}
