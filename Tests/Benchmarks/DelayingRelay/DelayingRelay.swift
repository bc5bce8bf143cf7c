import Glibc
import TestSupport

/// Relays to servers at these ports of 127.0.0.1, each from a port of its own on all of 127.0.0.0/8, and prints a line
/// for each: its port.
///
/// It runs until it is killed.
@main
struct DelayingRelay {
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().map { UInt16($0) }
        let ports = numbers.compactMap { $0 }.dropFirst()
        guard let delay = numbers.first ?? nil, !ports.isEmpty, ports.count == numbers.count - 1 else {
            print("Usage: delaying-relay MILLISECONDS PORT...")
            exit(64)
        }
        let relays = try ports.map { try Relay(to: $0, delay: Int(delay), onAllOfLoopback: true) }
        for relay in relays { print(relay.port) }
        fflush(nil)
        withExtendedLifetime(relays) { while true { pause() } }
    }
}
