internal import CEpoll
import Glibc

/// The only thread of a relay.
///
/// It waits for sockets and for the times at which bytes arrive.
struct RelayLoop {
    private let epoll: Int32
    private let listener: Int32
    private let server: UInt16
    private let delay: Int
    private let state: RelayState
    /// The connections by the descriptors of both sides.
    private var connections: [Int32: RelayedConnection] = [:]
    /// The due times, each list in ascending order, since the delay is always the same.
    private var arrivals: [Wake] = []
    private var openings: [Wake] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

    private struct Wake {
        let time: Int
        let connection: RelayedConnection
    }

    init(_ epoll: Int32, _ listener: Int32, to server: UInt16, delay: Int, _ state: RelayState) {
        (self.epoll, self.listener, self.server) = (epoll, listener, server)
        (self.delay, self.state) = (delay, state)
    }

    mutating func run() {
        watch(listener, EPOLLIN.rawValue)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        var isStopped = false
        while !isStopped {
            let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
            let now = Self.now
            var hasNew = false
            for event in events.prefix(Int(max(count, 0))) {
                if event.data.fd == listener {
                    hasNew = true
                    isStopped = event.events & EPOLLHUP.rawValue != 0
                } else if let connection = connections[event.data.fd] {
                    connection.see(event.events, of: event.data.fd)
                    pass(connection, now)
                }
            }
            for wake in Self.take(&openings, now) + Self.take(&arrivals, now) { pass(wake.connection, now) }
            // Closing comes last, because the number of a closed descriptor may be used again at once.
            if hasNew { acceptAll(now) }
        }
        for descriptor in connections.keys { close(descriptor) }
        close(listener)
        close(epoll)
        buffer.deallocate()
    }

    /// Waits are rounded up, and this time is rounded down: on average a byte arrives on time.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    private var timeout: Int32 {
        guard let next = [arrivals.first, openings.first].compactMap({ $0?.time }).min() else { return -1 }
        return Int32(max(next - Self.now, 0))
    }

    private func watch(_ descriptor: Int32, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    private mutating func acceptAll(_ now: Int) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let upstream = try? connecting(to: server) else {
                close(client)
                return
            }
            let connection = RelayedConnection(state.begin(), client, upstream, now: now, delay: delay)
            for descriptor in [client, upstream] {
                var on: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                connections[descriptor] = connection
                watch(descriptor, EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
            }
            openings.append(Wake(time: connection.opening, connection: connection))
        }
    }

    private static func take(_ wakes: inout [Wake], _ now: Int) -> ArraySlice<Wake> {
        let due = wakes.prefix { $0.time <= now }
        wakes.removeFirst(due.count)
        return due
    }

    private mutating func pass(_ connection: RelayedConnection, _ now: Int) {
        guard !connection.isOver, !state.isDead(connection.number) else { return }
        if let time = connection.pass(now, buffer) { arrivals.append(Wake(time: time, connection: connection)) }
        guard connection.isOver else { return }
        for descriptor in [connection.client, connection.server] {
            connections[descriptor] = nil
            close(descriptor)
        }
    }
}
