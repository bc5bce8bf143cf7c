// Tiles: an image with its description, date, location and links. The first page contains its tiles, and the script makes
// the others like them.
const records = new WeakMap();
const firstTiles = [...main.querySelectorAll('figure')];

// Returns the record of a tile's image.
const recordOf = async tile =>
  records.get(tile) || (await readPage(own.page))[firstTiles.indexOf(tile)];

const makeImage = (record, number) => {
  const name = `Image ${number}`;
  const image = make('img', { alt: record.description ? '' : name, loading: 'lazy', decoding: 'async' });
  if (record.width) Object.assign(image, { width: record.width, height: record.height });
  if (record.srcset) Object.assign(image, { sizes: 'auto, 20rem', srcset: record.srcset });
  image.src = record.preview || record.file;
  const link = make('a', { href: record.file }, image);
  if (record.description) link.setAttribute('aria-label', name);
  return link;
};

const makeTime = day => make('time', { dateTime: day, textContent: day });
const makeText = (name, text) => make(name, { dir: 'auto', textContent: text });

// Returns the links of an image: to the page of its item, to the original, and to its feed.
const makeLinks = record => {
  const links = [
    record.page && make('a', { href: record.page, textContent: 'Page' }),
    record.original && make('a', { href: record.original, textContent: 'Original' }),
    record.source && make('a', { className: 'source', dir: 'auto', href: record.source.url,
      textContent: record.source.title }),
  ].filter(Boolean);
  return links.length ? make('div', { className: 'links' }, ...links) : null;
};

const makeTile = (record, number) => {
  const dateAndLocation = [
    record.date && makeTime(record.date), record.date && record.location && ' · ',
    record.location && makeText('span', record.location),
  ].filter(Boolean);
  const tile = make('figure', { className: record.classes },
    record.missing ? make('div', { className: 'problem' }, make('p', { textContent: record.missing }))
      : makeImage(record, number),
    make('figcaption', {}, record.description && makeText('p', record.description),
      dateAndLocation.length && make('small', {}, ...dateAndLocation), makeLinks(record)));
  records.set(tile, record);
  return tile;
};

// Loading and failing images

const openers = '.images figure > a';
const imageOf = tile => tile.querySelector('a > img');
const originalOf = tile => tile.querySelector('a').getAttribute('href');
const rareFormat = tile => (/\.(heic|tiff|jxl)$/.exec(originalOf(tile)) || [])[1];

// Says why an image is not shown: browsers can't show images of a rare format.
const failureReason = kind =>
  kind ? `This browser shows no ${kind.toUpperCase()} images.` : 'This image could not be loaded.';

const endProblem = tile => {
  const problem = tile.querySelector('.problem');
  const hadFocus = problem && problem.contains(document.activeElement);
  if (problem) problem.remove();
  return hadFocus;
};

const markLoaded = tile => {
  const hadFocus = endProblem(tile);
  tile.classList.remove('failed');
  tile.classList.add('done');
  if (hadFocus) tile.querySelector('a').focus({ preventScroll: true });
};

const markFailed = tile => {
  const hadFocus = endProblem(tile);
  tile.classList.remove('done');
  tile.classList.add('failed');
  const kind = rareFormat(tile);
  const way = kind
    ? make('a', { className: 'button', href: originalOf(tile), download: '', textContent: 'Save the file' })
    : make('button', { className: 'button', type: 'button', textContent: 'Retry' });
  const reason = make('p', { textContent: failureReason(kind) });
  tile.prepend(make('div', { className: 'problem', lang: 'en' }, reason, way));
  if (!kind) way.addEventListener('click', () => retry(imageOf(tile), way));
  if (hadFocus) way.focus({ preventScroll: true });
};

let retries = 0;
const retry = (image, button) => {
  button.textContent = 'Trying…';
  image.loading = 'eager';
  image.removeAttribute('srcset');
  image.src = `${image.getAttribute('src').split('?')[0]}?${++retries}`;
};

const onImage = mark => event => {
  const tile = event.target.localName === 'img' && event.target.closest('.images figure');
  if (tile) mark(tile);
};
document.addEventListener('load', onImage(markLoaded), true);
document.addEventListener('error', onImage(markFailed), true);

for (const tile of firstTiles) {
  const image = imageOf(tile);
  if (image && image.complete && image.currentSrc) (image.naturalWidth ? markLoaded : markFailed)(tile);
}
