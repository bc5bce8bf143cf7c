# Sourced by scripts that build the program as it is released: with Swift's libraries inside, and no search for the
# others beside it, where whoever can write there could put their own.

release=(-c release --static-swift-stdlib --disable-local-rpath)

release_binary() {
    local folder
    # Fails if that fails, which an echo of it all would hide.
    folder=$(swift build "${release[@]}" --show-bin-path) && echo "$folder/feedsync"
}

# For runs that are none of a person's own: theirs have what the config file and the environment say.
no_own_settings() {
    unset "${!FEEDSYNC_@}"
    export FEEDSYNC_NO_CONFIG=true
}
