/// Where an item's images were taken. It reads GeoRSS, in its simple form or as a point in GML, and the W3C's latitude
/// and longitude.
struct ItemLocation {
    private var name: String?
    private var coordinates: String?
    private var latitude: String?
    private var longitude: String?

    /// A name tells a person more than numbers do.
    var text: String? {
        if let name { return name }
        if let coordinates { return coordinates }
        guard let latitude, let longitude else { return nil }
        return "\(latitude) \(longitude)"
    }

    /// Takes a name from elsewhere, unless there is one already.
    mutating func propose(name given: String?) { name = name ?? given.flatMap(FoldedText.fold) }

    /// Nil for an element that tells nothing of a location.
    func interest(in name: XMLName) -> XMLInterest? {
        switch (name.vocabulary, name.local) {
        case (.georss, "point"), (.georss, "line"), (.georss, "polygon"), (.georss, "box"), (.georss, "circle"),
            (.georss, "featurename"), (.georss, "featureName"), (.gml, "pos"), (.geo, "lat"), (.geo, "long"),
            (.geo, "lon"):
            .text
        case (.georss, "where"), (.gml, "Point"), (.geo, "Point"), (.geo, "location"): .children
        default: nil
        }
    }

    mutating func receive(_ text: String, of element: XMLName) {
        guard let text = FoldedText.fold(text) else { return }
        switch element.local {
        case "featurename", "featureName": name = name ?? text
        case "lat": latitude = latitude ?? text
        case "long", "lon": longitude = longitude ?? text
        default: coordinates = coordinates ?? text
        }
    }
}
