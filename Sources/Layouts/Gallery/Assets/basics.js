// What all parts of the script use. The parts are one script on the pages, and each may use the names of the others.
const main = document.querySelector('main');
const own = main.dataset;

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.filter(child => child || child === 0));
  return element;
};

// Returns a number with its digits in groups of three. The browser's own function is slow when it is first called.
const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const counted = (number, noun) => `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;

// Screen readers announce the state of the page when it changes.
const state = document.querySelector('#state');
const say = text => { state.textContent = text; };

// Long work happens in short pieces, so that the page stays responsive.
let restedAt = 0;
const resting = async () => {
  if (performance.now() - restedAt < 20) return;
  await new Promise(done => setTimeout(done));
  restedAt = performance.now();
};
