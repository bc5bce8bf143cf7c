// The addresses within a page: an image by its anchor, and the order of the images.

// Opens the image whose anchor is the fragment of the URL, on whatever page it is now.
const openAddressed = async () => {
  const id = location.hash.slice(1);
  if (!/^[0-9a-f]{12}$/.test(id)) return;
  let tile;
  while (!(tile = document.getElementById(id)) && await unfold()) await resting();
  const image = tile && imageOf(tile);
  if (!isAtView() || !image) history.replaceState(null, '', pageURL(''));
  if (image) open(tile);
  else if (tile) tile.scrollIntoView({ block: 'center' });
};

const followAddress = async () => {
  if (location.hash === '#oldest') await setOrder(true);
  else if (!isAtView()) await openAddressed();
};

const start = async () => {
  // Reading what the page remembers can take a while, so the browser lays out the page before.
  await resting();
  if (isAtView() && !location.hash) history.replaceState(null, '');
  await setOrder(location.hash === '#oldest' || remembered());
  openAddressed();
};
start();
addEventListener('hashchange', followAddress);
addEventListener('popstate', () => {
  if (!view) return;
  if (isGoingBack) isGoingBack = false;
  else if (view.open) view.close();
  // The visitor goes forward to the view again.
  else if (isAtView()) open(shown);
  keepHistory();
});
