# Sourced by scripts/faults: kills runs that lay out a tree. Needs what that script and its archive-faults.bash set up.

# What people have in a tree: a file whose name a picture would have, and others.
furnish() { # TREE
    mkdir -p "$1/$tree_folder" "$1/mine"
    echo mine >"$1/$tree_folder/$tree_name"
    echo mine >"$1/$tree_folder/other.png"
    echo mine >"$1/mine/notes"
}

# All that is in a tree.
contents() { # TREE
    (cd "$1" && find . -type f -exec sha256sum {} + | sort)
}

# Gives a cache what another one knows about trees: the lists of the files that runs made.
hand_over_lists() { # FROM TO
    [[ $1 != "$2" && -d $1/outputs ]] || return 0
    rm -rf "$2/outputs"
    cp -a "$1/outputs" "$2/outputs"
}

tree_faults() { # KILLS
    local tree=$work/tree version last=first whole kill landed=0 tree_folder tree_name
    unfinished=0 touched=0
    for version in first second; do
        publish "$version"
        "$feedsync" --cache "$work/$version" "$feed"
    done
    "$feedsync" tree --cache "$work/first" "$tree"
    tree_folder=$(ls "$tree")
    tree_name=("$tree/$tree_folder"/*)
    tree_name=${tree_name[0]##*/}
    rm -rf "$tree"
    for version in first second; do
        furnish "$work/$version-tree"
        "$feedsync" tree --cache "$work/$version" "$work/$version-tree"
        contents "$work/$version-tree" >"$work/$version.contents"
    done
    furnish "$tree"
    contents "$tree" >"$work/mine.contents"
    whole=$(seconds_of "$feedsync" tree --cache "$work/first" "$tree")

    for ((kill = 1; kill <= $1; kill++)); do
        # Half of them begin a tree, half bring that of the other version up to date.
        ((kill % 2)) || { rm -rf "$tree"; furnish "$tree"; }
        (((kill + kill / 4) % 2)) && version=first || version=second
        hand_over_lists "$work/$last" "$work/$version"
        last=$version
        kill_within "$whole" "$feedsync" tree --cache "$work/$version" "$tree"
        ((ended != 137)) || landed=$((landed + 1))
        contents "$tree" | comm -13 - "$work/mine.contents" | cmp -s - /dev/null ||
            problem touched "what people have in the tree was touched"
        "$feedsync" tree --cache "$work/$version" "$tree" 2>"$work/error" || cat "$work/error" >&2
        contents "$tree" | cmp -s - "$work/$version.contents" || problem unfinished "the tree is not what it should be"
    done
    echo "$1 kills of a tree, $landed before it was done: $unfinished that the next run did not complete," \
        "$touched that touched what people have there"
}
