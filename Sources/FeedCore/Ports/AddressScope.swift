/// Which addresses may be connected to, checked on the address itself: names lie.
package enum AddressScope: Hashable, Sendable {
    case any
    case publicOnly
}
