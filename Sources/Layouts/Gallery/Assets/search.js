// The search by words: in the images of this page's feed, or on the index in those of all feeds.
const find = document.querySelector('input[type=search]');
const wanted = () => find ? find.value.split(/\s+/).filter(word => plain(word)) : [];

// The feeds that the search covers, which are loaded once.
let feeds = null;
const feedsToSearch = () => {
  feeds = feeds || (own.feeds ? load(own.feeds).then(JSON.parse)
    : Promise.resolve([{ name: own.name, pages: Number(own.pages), edition: own.edition }]));
  return feeds;
};

const hasWord = ({ description, title, text, author, tags = [] }, matcher) =>
  [description, title, text, author, ...tags].some(part => part && matcher.test(part));

// Returns the images of one page that have all words.
const findIn = (feed, images, matchers) => {
  const found = images.filter(record => matchers.every(matcher => hasWord(record, matcher)));
  if (own.feeds) {
    for (const record of found) {
      record.source = { title: feed.title, url: `${feed.name}.html${record.id ? `#${record.id}` : ''}` };
    }
  }
  return found;
};

// Searches each page as soon as its data is there, while the browser reads others. Stops when the visitor wants other words.
const search = async (words, isWanted) => {
  const pages = (await feedsToSearch()).flatMap(
    feed => Array.from({ length: feed.pages }, (_, index) => ({ feed, page: index + 1, found: [] })));
  const matchers = words.map(matcher);
  // Only quotes and backslashes are spelled differently in JSON. So the JSON of an image has each other word of the image, and
  // only pages that have them are parsed, which takes most of the time.
  const inJSON = matchers.filter((_, at) => !/["\\]/.test(plain(words[at])));
  let started = 0;
  let note = '';
  const work = async () => {
    while (started < pages.length && isWanted()) {
      const { feed, page, found } = pages[started++];
      try {
        const data = await readData(feed.name, page, feed.edition);
        await resting();
        if (inJSON.every(matcher => matcher.test(data.json))) found.push(...findIn(feed, data.images, matchers));
      } catch {
        note = ' Some images could not be searched.';
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const found = pages.flatMap(page => page.found);
  // The sort is stable, so images of the same date keep the order of their feed.
  if (own.feeds) found.sort((one, other) => other.order - one.order);
  if (isOldestFirst) found.reverse();
  return { found, report: (found.length ? `${counted(found.length, 'image')} found.` : 'No matches.') + note };
};

// Shows the images that the visitor wants to see, in the order that the visitor has chosen.
let arrangements = 0;
const arrange = async () => {
  const number = ++arrangements;
  const words = wanted();
  let list;
  let report = '';
  try {
    if (words.length) {
      say('Searching…');
      const result = await search(words, () => number === arrangements);
      list = makeFound(result.found);
      append(list, list.next());
      report = result.report;
    } else {
      list = await allImages();
    }
  } catch {
    feeds = null;
    report = 'The images could not be loaded.';
  }
  // A later word may already have another result.
  if (number !== arrangements) return;
  if (list) showList(list);
  say(report);
};
if (find) find.addEventListener('input', arrange);
