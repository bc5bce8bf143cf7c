// The order of the images: the newest first, or the oldest first for reading a comic from its beginning. The page remembers
// it under its own name. Any page on the disk may read that, so it contains nothing secret.
const orderKey = `feedsync order ${location.pathname.replace(/[^/]*$/, '')}${own.name}`;
const orderButton = document.querySelector('.tools .order');
let isOldestFirst = false;
let oldestFirst = null;

const remembered = () => {
  try {
    return Boolean(orderButton) && localStorage.getItem(orderKey) === 'oldest';
  } catch {
    // The browser keeps no data for this page.
    return false;
  }
};
const remember = () => {
  try {
    if (isOldestFirst) localStorage.setItem(orderKey, 'oldest');
    else localStorage.removeItem(orderKey);
  } catch {
    // The browser keeps no data for this page, so the order applies to this visit.
  }
};

// Returns the list that shows all images in the current order.
const allImages = async () => {
  if (!isOldestFirst) return newestFirst;
  if (!oldestFirst) {
    const list = makeOldestFirst();
    append(list, await list.next());
    oldestFirst = list;
  }
  return oldestFirst;
};

const setOrder = async isOldest => {
  if (!orderButton || isOldest === isOldestFirst) return;
  isOldestFirst = isOldest;
  orderButton.lastChild.textContent = isOldest ? 'Newest first' : 'Oldest first';
  remember();
  await arrange();
};

const pageURL = hash => location.pathname + location.search + hash;
const turnOrder = async () => {
  await setOrder(!isOldestFirst);
  if (!history.state) history.replaceState(null, '', pageURL(isOldestFirst ? '#oldest' : ''));
};
if (orderButton) orderButton.addEventListener('click', turnOrder);
