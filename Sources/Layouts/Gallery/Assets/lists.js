// Lists of tiles that unfold as the visitor scrolls: the newest images first, the oldest first, or those that were found.
// A list has:
// - parts: the elements that it has unfolded so far
// - first: the number of its first image, and total, the number of all images
// - hasMore, and next, which returns the next records
// - isKept: whether its last image has left the feed; undefined if the list does not tell kept images from others
const sentinel = make('div', { className: 'sentinel' });
main.after(sentinel);

const pageFile = page => `${own.name}.${page}.html`;
const nav = document.querySelector('.pages');

// The link to the next page stays for visitors to click if its images can't be loaded.
const moveNextLink = page => {
  const link = nav.querySelector('a[rel=next]');
  if (page < Number(own.pages)) link.href = pageFile(page + 1);
  else link.remove();
  nav.hidden = !nav.children.length;
};

const newestFirst = {
  parts: [...main.children],
  first: Number(own.first),
  count: firstTiles.length,
  total: Number(own.images),
  isKept: 'kept' in own,
  page: Number(own.page),
  get hasMore() { return this.page < Number(own.pages); },
  async next() {
    const images = await readPage(this.page + 1);
    this.page += 1;
    moveNextLink(this.page);
    return images;
  },
};

const makeOldestFirst = () => ({
  parts: [], first: 1, count: 0, total: Number(own.images), isKept: false, page: Number(own.pages),
  get hasMore() { return this.page > 0; },
  async next() {
    const images = await readPage(this.page);
    this.page -= 1;
    return [...images].reverse();
  },
});

const batch = 60;
const makeFound = found => ({
  parts: [], first: 1, count: 0, total: found.length,
  get hasMore() { return this.count < found.length; },
  next() { return found.slice(this.count, this.count + batch); },
});

// A list of several feeds has no anchors, because they are unique within a feed only.
const hasAnchors = !own.feeds;

// Adds tiles to the end of a list, in sections without and with the heading of kept images.
const append = (list, images) => {
  const parts = [];
  let section;
  for (const record of images) {
    const isKept = Boolean(record.kept);
    if (list.isKept !== undefined && list.isKept !== isKept) {
      parts.push(make('h2', { className: 'gone', lang: 'en', textContent: isKept ? 'No longer in the feed' : 'In the feed' }));
      list.isKept = isKept;
      section = null;
    }
    if (!section) parts.push(section = make('section', { className: 'images' }));
    const tile = makeTile(record, list.first + list.count);
    if (record.id && hasAnchors) tile.id = record.id;
    section.append(tile);
    list.count += 1;
  }
  let end = list.first + list.count;
  for (const part of [...parts].reverse()) {
    if (part.localName !== 'section') continue;
    const start = end - part.children.length;
    part.setAttribute('aria-label', `Images ${grouped(start)} to ${grouped(end - 1)}`);
    end = start;
  }
  list.parts.push(...parts);
  if (list === shownList) main.append(...parts);
};

let shownList = newestFirst;
let unfolding = null;

// Unfolds the next part of the shown list. Returns false at its end, and if loading fails.
const unfold = () => unfolding = unfolding || (async () => {
  const list = shownList;
  if (!list.hasMore) return false;
  try {
    append(list, await list.next());
  } catch {
    // The visitor can follow the link to the next page, or scroll to try again.
    list.hasFailed = true;
    addEventListener('scroll', () => {
      list.hasFailed = false;
      watch();
    }, { once: true });
    return false;
  }
  return true;
})().finally(() => {
  unfolding = null;
  watch();
});

const approach = new IntersectionObserver(entries => {
  if (entries.some(entry => entry.isIntersecting)) unfold();
}, { rootMargin: '1500px 0px' });
const watch = () => {
  approach.disconnect();
  if (shownList.hasMore && !shownList.hasFailed) approach.observe(sentinel);
};
watch();

const showList = list => {
  if (list === shownList) return;
  shownList = list;
  main.replaceChildren(...list.parts);
  if (nav) nav.hidden = list !== newestFirst || !nav.children.length;
  watch();
};
