// The slideshow: it shows each image for some seconds, and begins again at the end.
const paces = [1, 2, 3, 5, 7, 10, 15, 20, 30, 60];
let seconds = 5;
let isPlaying = false, turn;

const goOn = () => {
  clearTimeout(turn);
  if (isPlaying) turn = setTimeout(() => step(view.next.disabled ? -Infinity : 1), seconds * 1000);
};

const showPace = () => {
  view.play.textContent = isPlaying ? '❚❚' : '▶';
  view.play.setAttribute('aria-label', isPlaying ? `Pause (an image every ${seconds} s)` : 'Slideshow');
  view.play.dataset.pace = isPlaying ? `${seconds} s` : '';
};

const play = isToPlay => {
  isPlaying = isToPlay;
  showPace();
  // During the slideshow, screen readers are spared an announcement of each image.
  view.count.setAttribute('aria-live', isPlaying ? 'off' : 'polite');
  if (!isPlaying || view.image.complete) goOn();
};

const startPlaying = () => {
  const [first] = viewable();
  if (!view || !view.open) {
    if (!first) return;
    open(first);
  }
  play(true);
  // With the focus on the button, Space pauses the slideshow.
  view.play.focus();
};

// Changes the time for each image to the next longer or shorter one.
const changePace = move => {
  const at = paces.indexOf(seconds) + move;
  seconds = paces[Math.min(Math.max(0, at), paces.length - 1)];
  if (!view || !view.open) return;
  showPace();
  if (isPlaying && view.image.complete) goOn();
};

const playButton = document.querySelector('.tools .play');
if (playButton) playButton.addEventListener('click', startPlaying);
