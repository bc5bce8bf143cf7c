import JSONText
import TestSupport
import Testing

/// Two caches of one feed, in which images are removed and brought back, and which import each other's archives.
///
/// After each step, both caches contain what a simple model says.
@Suite("Removals and archives in any order", .timeLimit(.minutes(10)))
struct RemovalOrderTests {
    private static let images = Set(0..<3)

    /// The model of a cache.
    private struct Model {
        var shown: Set<Int> = []
        var removed: Set<Int> = []
        /// The number of the step in which the feed was last saved.
        var savedAt = 0
    }

    private let server: FeedServer
    private let programs: [Program]

    init() throws {
        server = try FeedServer(images: 3)
        programs = [try Program(), try Program()]
    }

    @Test("Removals add up in any order of removing, undoing, exporting, importing and syncing", arguments: 0..<12)
    func history(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var models = [Model(), Model()]
        for cache in 0...1 { try await sync(cache, &models, step: 1 + cache) }
        for step in 3..<19 {
            let (cache, image) = (Int.random(in: 0...1, using: &random), Int.random(in: 0..<3, using: &random))
            let restores = Bool.random(using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0...1: try await remove(image, from: cache, &models)
            case 2...3: try await undo(image, in: cache, &models)
            case 4...5: try await transfer(from: 1 - cache, to: cache, restores: restores, &models)
            case 6: try await sync(cache, &models, step: step)
            default: try await validate(cache, models[cache])
            }
            for cache in 0...1 { try await compare(cache, models[cache], "seed \(seed), step \(step), cache \(cache)") }
        }
    }

    private func sync(_ cache: Int, _ models: inout [Model], step: Int) async throws {
        expectQuiet(try await programs[cache].run(server.feedURL))
        models[cache].shown = Self.images.subtracting(models[cache].removed)
        models[cache].savedAt = step
    }

    private func remove(_ image: Int, from cache: Int, _ models: inout [Model]) async throws {
        let result = try await programs[cache].run("remove", server.imageURL(image))
        let isShown = models[cache].shown.remove(image) != nil
        #expect(result.status == .exited(isShown ? 0 : 66), "\(result.errorText)")
        if isShown { models[cache].removed.insert(image) }
    }

    private func undo(_ image: Int, in cache: Int, _ models: inout [Model]) async throws {
        let result = try await programs[cache].run("remove", "--undo", server.imageURL(image))
        let wasRemoved = models[cache].removed.remove(image) != nil
        #expect(result.status == .exited(wasRemoved ? 0 : 66), "\(result.errorText)")
    }

    private func transfer(from source: Int, to target: Int, restores: Bool, _ models: inout [Model]) async throws {
        let file = programs[source].directory.path("cache.tar")
        expectQuiet(try await programs[source].run("export", file))
        let result = try await programs[target].run(["import"] + (restores ? ["--restore"] : []) + [file])
        #expect(result.status == .exited(0), "\(result.errorText)")
        models[target].removed.formUnion(models[source].removed)
        if models[target].savedAt < models[source].savedAt {
            models[target].shown = models[source].shown
            models[target].savedAt = models[source].savedAt
        }
        models[target].shown.subtract(models[target].removed)
    }

    private func validate(_ cache: Int, _ model: Model) async throws {
        #expect(try await programs[cache].run("validate", "--deep").status == .exited(0))
        #expect(Files.names(in: programs[cache].imageDirectory).count == model.shown.count)
    }

    /// Compares a cache with its model: each image that it shows has data.
    private func compare(_ cache: Int, _ model: Model, _ step: String) async throws {
        let result = try await programs[cache].run("show", "--offline", "--json", server.feedURL)
        let images = try result.json["images"]?.array ?? []
        let shown = images.compactMap { image in
            image["path"]?.string == nil ? nil : image["url"]?.string
        }
        #expect(shown == model.shown.sorted().map(server.imageURL), "\(step)")
        #expect(images.count == shown.count, "\(step)")
        let removed = try await programs[cache].sql("SELECT urls FROM removed ORDER BY urls")
        #expect(removed == model.removed.sorted().map(server.imageURL).joined(separator: "\n"), "\(step)")
    }
}
