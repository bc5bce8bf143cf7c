// The keys, and the list of them.
const keys = [
  ['← →', 'the previous and the next image'], ['Home End', 'the first and the last'], ['Enter', 'opens an image'],
  ['Esc', 'closes it'], ['Z', 'own size and back'], ['O', 'turns the order'], ['S', 'slideshow'],
  ['Space', 'starts and pauses it'], ['+ −', 'more and less time for each image'], ['F', 'full screen'], ['/', 'search'],
  ['?', 'these keys'],
];
let help;
const showKeys = () => {
  if (!help) {
    const close = make('button', { className: 'button', type: 'button', textContent: 'Close' });
    close.addEventListener('click', () => help.close());
    help = make('dialog', { className: 'keys', lang: 'en', dir: 'ltr' }, make('h2', { textContent: 'Keys' }), make('dl', {}, ...keys.flatMap(
      ([key, what]) => [make('dt', { textContent: key }), make('dd', { textContent: what })])), close);
    help.setAttribute('aria-label', 'Keys');
    document.body.append(help);
  }
  if (!help.open) help.showModal();
};
document.querySelector('.tools .help').addEventListener('click', showKeys);

const isViewing = () => Boolean(view && view.open);
const actions = {
  '?': showKeys,
  '/': () => find && !isViewing() && find.focus(),
  z: () => isViewing() && zoom(),
  o: () => isViewing() || turnOrder(),
  s: () => isPlaying ? play(false) : startPlaying(),
  '+': () => changePace(1),
  '=': () => changePace(1),
  '-': () => changePace(-1),
  f: () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (isViewing()) view.requestFullscreen().catch(() => say('This browser has no full screen here.'));
  },
};
document.addEventListener('keydown', event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.localName === 'input') return;
  const action = actions[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
});
