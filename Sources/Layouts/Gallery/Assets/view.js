// The large view of an image, with everything that is known about it below.
const viewable = () => [...main.querySelectorAll('figure:not(.missing)')];
let view, shown, isGoingBack = false;

// An open view is a step of the history, so that the back button closes it. Going back is asynchronous: until it is done,
// the history is left as it is.
const isAtView = () => Boolean(history.state && history.state.view);
// Makes the history match the view. The URL's fragment is the anchor of the image that is shown.
const keepHistory = () => {
  if (isGoingBack) return;
  if (view.open) {
    const step = isAtView() ? 'replaceState' : 'pushState';
    history[step]({ view: true }, '', pageURL(shown.id ? `#${shown.id}` : ''));
  } else if (isAtView()) {
    isGoingBack = true;
    history.back();
  }
};

// Making the view

const makeButton = (className, label, text, action) => {
  const button = make('button', { className, type: 'button', textContent: text });
  button.setAttribute('aria-label', label);
  button.addEventListener('click', action);
  return button;
};

const makeView = () => {
  const { lang, dir } = document.documentElement;
  view = make('dialog', { className: 'view', lang: 'en', dir: 'ltr' });
  view.setAttribute('aria-label', 'Large view');
  view.image = make('img', { decoding: 'async' });
  view.problem = make('p', { hidden: true });
  view.count = make('p', { className: 'count' });
  view.count.setAttribute('aria-live', 'polite');
  view.facts = make('div', { className: 'facts', lang, dir });
  view.stage = make('div', { className: 'stage' }, view.image, view.problem);
  view.previous = makeButton('previous', 'Previous image', '‹', () => step(-1));
  view.next = makeButton('next', 'Next image', '›', () => step(1));
  view.play = makeButton('play', 'Slideshow', '▶', () => play(!isPlaying));
  const bar = make('div', { className: 'bar' }, view.count, view.play, makeButton('close', 'Close', '×', () => view.close()));
  const steps = make('div', { className: 'steps' }, view.previous, view.next);
  view.append(bar, make('div', { className: 'frame' }, view.stage, steps), view.facts);
  view.image.addEventListener('load', () => {
    fit(view.image.naturalWidth, view.image.naturalHeight);
    goOn();
  });
  view.image.addEventListener('error', showFailure);
  view.stage.addEventListener('click', event => {
    if (event.target === view.stage) view.close();
    else if (event.pointerType !== 'touch' || isDoubleTap()) zoom(event);
  });
  view.addEventListener('keydown', onKey);
  view.addEventListener('close', onClose);
  addSwipes(view);
  document.body.append(view);
};

const onKey = event => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const move = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  const isPause = event.key === ' ' && event.target.localName !== 'button' && event.target.localName !== 'a';
  if (!move && !isPause) return;
  event.preventDefault();
  if (move) step(move);
  else play(!isPlaying);
};

const onClose = () => {
  // The event is asynchronous, so the view may be open again.
  if (view.open) return;
  play(false);
  if (document.fullscreenElement) document.exitFullscreen();
  document.documentElement.classList.remove('viewing');
  keepHistory();
  shown.scrollIntoView({ block: 'nearest' });
  shown.querySelector('a').focus({ preventScroll: true });
};

const showFailure = () => {
  const [small, kind] = [imageOf(shown).currentSrc, rareFormat(shown)];
  // If the browser can't show the format of an image, its thumbnail is shown.
  if (small && imageOf(shown).srcset && view.image.src !== small) {
    view.image.src = small;
    return;
  }
  view.problem.textContent = failureReason(kind);
  view.problem.hidden = !(view.image.hidden = true);
  goOn();
};

// Fitting and zooming

// Fits an image to the window. A strip fits the width of the window and scrolls.
const fit = (width, height) => {
  if (!width || !height) return;
  view.image.style.setProperty('--width', width);
  view.image.style.setProperty('--ratio', width / height);
  view.classList.toggle('strip', height >= 2 * width);
};

// Whether strips open in their own size, because the visitor has chosen it for one.
let hasOwnStrips = false;

// Switches between the fitted size and the image's own size. The point under the pointer stays where it is.
const zoom = event => {
  const point = event ? { x: event.clientX, y: event.clientY } : { x: innerWidth / 2, y: innerHeight / 2 };
  const before = view.image.getBoundingClientRect();
  const isOwn = view.classList.toggle('own');
  if (view.matches('.strip')) hasOwnStrips = isOwn;
  const after = view.image.getBoundingClientRect();
  const moved = (start, size, at) =>
    after[start] + (at - before[start]) / before[size] * after[size] - at;
  view.stage.scrollLeft += moved('left', 'width', point.x);
  view.scrollTop += moved('top', 'height', point.y);
};

let lastTap = -Infinity;
const isDoubleTap = () => {
  const isDouble = performance.now() - lastTap < 350;
  lastTap = isDouble ? -Infinity : performance.now();
  return isDouble;
};

const addSwipes = element => {
  let start = null;
  element.addEventListener('touchstart', event => {
    const touch = event.touches[0];
    start = event.touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
  }, { passive: true });
  element.addEventListener('touchend', event => {
    // In an image that is wider than the window, a finger scrolls.
    const isZoomed = view.stage.scrollWidth > view.stage.clientWidth + 1 || window.visualViewport && visualViewport.scale > 1.05;
    if (!start || isZoomed) return;
    const x = event.changedTouches[0].clientX - start.x;
    const y = event.changedTouches[0].clientY - start.y;
    start = null;
    if (Math.abs(x) > 48 && Math.abs(x) > 1.5 * Math.abs(y)) step(x < 0 ? 1 : -1);
  }, { passive: true });
};

// Showing an image

const rights = text => /^https?:\/\/\S+$/.test(text) ? make('a', { href: text, textContent: text }) : text;

const showFacts = record => {
  const facts = [
    ['Author', record.author], ['Rights', record.rights && rights(record.rights)], ['Location', record.location],
    ['Tags', record.tags && record.tags.join(', ')],
  ].filter(([, fact]) => fact);
  view.facts.replaceChildren(...[
    record.title && makeText('h2', record.title),
    record.date && make('p', { className: 'soft' }, makeTime(record.date)),
    record.description && record.description !== record.title && makeText('p', record.description),
    record.text && record.text !== record.title && make('p', { className: 'text', dir: 'auto', textContent: record.text }),
    facts.length && make('dl', {}, ...facts.flatMap(
      ([name, fact]) => [make('dt', { lang: 'en', textContent: name }), make('dd', { dir: 'auto' }, fact)])),
    makeLinks(record),
  ].filter(Boolean));
};

// Shows the facts about an image: at first those in its tile, and then all of them.
const tell = async tile => {
  const known = records.get(tile);
  if (known) return showFacts(known);
  view.facts.replaceChildren(...tile.querySelector('figcaption').cloneNode(true).childNodes);
  try {
    const record = await recordOf(tile);
    if (record && tile === shown) showFacts(record);
  } catch {
    // The facts of the tile stay.
  }
};

const show = (tile, all) => {
  shown = tile;
  const at = all.indexOf(tile);
  const small = imageOf(tile);
  view.problem.hidden = true;
  view.image.hidden = false;
  view.image.removeAttribute('src');
  view.image.removeAttribute('style');
  view.classList.remove('own', 'strip');
  fit(Number(small.getAttribute('width')) || small.naturalWidth, Number(small.getAttribute('height')) || small.naturalHeight);
  view.classList.toggle('own', hasOwnStrips && view.matches('.strip'));
  view.scrollTop = 0;
  const caption = tile.querySelector('figcaption p');
  view.image.alt = caption ? caption.textContent : small.alt;
  // The thumbnail is shown until the image is loaded.
  if (small.currentSrc) view.image.style.backgroundImage = `url("${small.currentSrc}")`;
  view.image.src = originalOf(tile);
  // Missing images count too, although the view skips them.
  const number = shownList.first + [...main.querySelectorAll('figure')].indexOf(tile);
  view.count.textContent = [number, shownList.total].map(grouped).join(' of ');
  view.previous.disabled = at === 0;
  view.next.disabled = at === all.length - 1 && !shownList.hasMore;
  tell(tile);
  for (const neighbour of [all[at + 1], all[at - 1], all[at + 2]]) if (neighbour) new Image().src = originalOf(neighbour);
};

const step = async move => {
  let all = viewable();
  if (move === Infinity) while (await unfold()) await resting();
  // A part of the list may consist of missing images.
  else while (all.indexOf(shown) + move >= all.length && await unfold()) all = viewable();
  all = viewable();
  const to = Math.min(Math.max(0, all.indexOf(shown) + move), all.length - 1);
  // The slideshow tries again to load further images.
  if (all[to] === shown) return goOn();
  show(all[to], all);
  keepHistory();
  if (document.activeElement === document.body || document.activeElement.disabled) view.querySelector('.close').focus();
};

const open = tile => {
  if (!view) makeView();
  show(tile, viewable());
  document.documentElement.classList.add('viewing');
  if (!view.open) view.showModal();
  keepHistory();
};

document.addEventListener('click', event => {
  const opener = event.target.closest && event.target.closest(openers);
  if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open(opener.parentElement);
});
