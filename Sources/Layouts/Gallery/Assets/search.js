// The search by words: in the images of this page's feed, or on the index in those of all feeds.
const find = document.querySelector('input[type=search]');
const wanted = () => find ? find.value.split(/\s+/).filter(word => plain(word)) : [];

const feedsToSearch = async () => own.feeds ? JSON.parse(await load(own.feeds))
  : [{ name: own.name, pages: Number(own.pages), edition: own.edition }];

// Reads the data of all pages.
const readAll = async () => {
  const jobs = (await feedsToSearch()).flatMap(
    feed => Array.from({ length: feed.pages }, (_, index) => ({ feed, page: index + 1 })));
  let started = 0;
  const work = async () => {
    while (started < jobs.length) {
      const job = jobs[started++];
      try {
        job.data = await readData(job.feed.name, job.page, job.feed.edition);
      } catch {
        // The report says that some images could not be searched.
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return jobs;
};

const hasWord = (record, word) =>
  [record.description, record.title, record.text, record.author, ...record.tags || []].some(text => text && word.test(text));

// Returns the images of a page that have all words.
const findIn = ({ feed, data }, words) => {
  // JSON spells only quotes and backslashes differently, so a page without a word has no image with it.
  if (!words.every(word => /["\\]/.test(word.source) || word.test(data.json))) return [];
  const found = data.images.filter(record => words.every(word => hasWord(record, word)));
  if (own.feeds) {
    for (const record of found) {
      record.source = { title: feed.title, url: `${feed.name}.html${record.id ? `#${record.id}` : ''}` };
    }
  }
  return found;
};

// What was read, for the next search.
let everything = null;
const search = async words => {
  everything = everything || readAll();
  const jobs = await everything;
  const read = jobs.filter(job => job.data);
  if (read.length < jobs.length) everything = null;
  const found = [];
  for (const job of read) {
    found.push(...findIn(job, words));
    await resting();
  }
  // The sort is stable, so images of the same date keep the order of their feed.
  if (own.feeds) found.sort((one, other) => other.order - one.order);
  if (isOldestFirst) found.reverse();
  const note = read.length < jobs.length ? ' Some images could not be searched.' : '';
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
      const result = await search(words.map(matcher));
      list = makeFound(result.found);
      append(list, list.next());
      report = result.report;
    } else {
      list = await allImages();
    }
  } catch {
    everything = null;
    report = 'The images could not be loaded.';
  }
  // A later word may already have another result.
  if (number !== arrangements) return;
  if (list) showList(list);
  say(report);
};
if (find) find.addEventListener('input', arrange);
