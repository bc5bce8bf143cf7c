# Sourced by scripts that build the program as it is released: with Swift's libraries inside, and no search for the
# others beside it, where whoever can write there could put their own.

release=(-c release --static-swift-stdlib --disable-local-rpath)

release_binary() { echo "$(swift build "${release[@]}" --show-bin-path)/feedsync"; }
