extension HelpTopic {
    var text: Markdown { Markdown(String(decoding: file, as: UTF8.self)) }

    private var file: [UInt8] {
        switch self {
        case .config: PackageResources.config_md
        case .feeds: PackageResources.feeds_md
        case .network: PackageResources.network_md
        case .monitoring: PackageResources.monitoring_md
        case .cache: PackageResources.cache_md
        case .archive: PackageResources.archive_md
        case .gallery: PackageResources.gallery_md
        case .cluster: PackageResources.cluster_md
        case .exitCodes: PackageResources.exit_codes_md
        }
    }
}
