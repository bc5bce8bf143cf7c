// The data of the images, which has a file for each page. The files are scripts, because a page that is opened from disk can
// load nothing else. They pass their JSON to `receive` on pages that know the gallery's key.
window.receive = json => { document.currentScript.json = json; };

const load = url => new Promise((done, fail) => {
  const script = make('script', { src: url });
  const end = () => {
    script.remove();
    if (script.json) done(script.json);
    else fail(new Error(`${url} has no data for this page`));
  };
  script.addEventListener('load', end);
  script.addEventListener('error', end);
  document.head.append(script);
});

// The data of one page: its JSON, and the records of its images, which are parsed when they are needed.
class PageData {
  constructor(json) { this.json = json; }
  get images() { return this.parsed = this.parsed || JSON.parse(this.json).images; }
}

// Returns the data of a page. The gallery may have changed meanwhile, so only data of the same edition belongs to this page.
const readings = new Map();
const readData = (name, page, edition) => {
  const url = `data/${name}.${page}.js?${edition}`;
  if (!readings.has(url)) {
    readings.set(url, load(url).then(json => {
      if (!json.startsWith(`{"edition":"${edition}"`)) throw new Error(`${url} is of another edition`);
      return new PageData(json);
    }).catch(error => {
      readings.delete(url);
      throw error;
    }));
  }
  return readings.get(url);
};
const readPage = async page => (await readData(own.name, page, own.edition)).images;
