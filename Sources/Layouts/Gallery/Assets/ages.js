// The age of the page, and of each feed that it lists.
const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
const ago = seconds => {
  const [name, length] = units.find(([, length]) => seconds >= length) || units[3];
  return `${counted(Math.max(0, Math.floor(seconds / length)), name)} ago`;
};

// The page itself has the same text if a feed is stale from the start.
const staleNotice = 'Stale: there may be newer images by now.';
const showAges = () => {
  for (const time of document.querySelectorAll('.age time')) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    const limit = Number(time.dataset.fresh);
    time.textContent = seconds < 5 ? 'saved just now' : `saved ${ago(seconds)}`;
    const saved = time.closest('.saved');
    const isStale = saved.classList.toggle('stale', seconds < -3600 || seconds >= limit);
    const notice = saved.querySelector('.notice');
    if (notice && !isStale) notice.remove();
    if (notice || !isStale) continue;
    time.closest('p').after(make('span', { className: 'notice', lang: 'en', textContent: staleNotice }));
  }
};
showAges();
setInterval(showAges, 60000);

// The exact time is formatted when the pointer is over it, because formatting in the visitor's language is slow.
addEventListener('pointerover', event => {
  const time = event.target.closest && event.target.closest('.age time');
  if (time) time.title = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
});

for (const link of document.querySelectorAll('.reload')) {
  link.addEventListener('click', event => {
    event.preventDefault();
    location.reload();
  });
}
