// The behaviour of the pages: their age, images that fail, more images on scrolling, the search, the large view and the
// slideshow. All requests stay inside the gallery's own directory.
'use strict';
(() => {
  const onDisk = location.protocol === 'file:';
  const main = document.querySelector('main');

  // A page that is opened from disk can't fetch the next page. It loads that page in a hidden frame, which posts its HTML
  // back. Any page on the disk could load the frame, and a browser gives all of them the same origin, so the frame answers
  // only to pages that know the gallery's key.
  const key = `#${document.documentElement.dataset.key}`;
  if (onDisk && window !== window.top) {
    parent.postMessage(location.hash === key ? document.documentElement.outerHTML : '', '*');
    return;
  }

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // The age of the page

  const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
  const ago = seconds => {
    const [name, length] = units.find(([, length]) => seconds >= length) || units[3];
    const count = Math.max(0, Math.floor(seconds / length));
    return `${count} ${name}${count === 1 ? '' : 's'} ago`;
  };
  // The page itself has the same text if a feed is stale from the start.
  const staleNotice = 'Stale: there may be newer images by now.';
  const showAges = () => {
    for (const time of document.querySelectorAll('time')) {
      const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
      const limit = Number(time.dataset.fresh);
      time.textContent = seconds < 5 ? 'saved just now' : `saved ${ago(seconds)}`;
      const saved = time.closest('.saved');
      const isStale = saved.classList.toggle('stale', seconds < -3600 || seconds >= limit);
      const notice = saved.querySelector('.notice');
      if (notice && !isStale) notice.remove();
      if (!notice && isStale) time.closest('p').after(make('span', { className: 'notice', textContent: staleNotice }));
    }
  };
  showAges();
  setInterval(showAges, 60000);

  // The exact time is formatted when the pointer is over it, because formatting in the visitor's language is slow.
  addEventListener('pointerover', event => {
    const time = event.target.closest && event.target.closest('time');
    if (!time) return;
    time.title = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
  });

  for (const link of document.querySelectorAll('.reload')) {
    link.addEventListener('click', event => {
      event.preventDefault();
      location.reload();
    });
  }

  // Loading and failing images

  const tileOf = element => element.closest('.images figure');
  // Returns the element that opens an image: the link around a thumbnail, or else the image itself.
  const openerOf = image => image.closest('a') || image;
  const original = image => (openerOf(image).getAttribute('href') || image.getAttribute('src')).split('?')[0];
  const rareFormat = image => (/\.(heic|tiff|jxl)$/.exec(original(image)) || [])[1];

  const markLoaded = image => {
    const tile = tileOf(image);
    if (!tile) return;
    const problem = tile.querySelector('.problem');
    const hadFocus = problem && problem.contains(document.activeElement);
    if (problem) problem.remove();
    tile.classList.remove('failed');
    tile.classList.add('done');
    openerOf(image).tabIndex = 0;
    if (hadFocus) openerOf(image).focus({ preventScroll: true });
  };

  const markFailed = image => {
    const tile = tileOf(image);
    if (!tile) return;
    const old = tile.querySelector('.problem');
    const hadFocus = old && old.contains(document.activeElement);
    if (old) old.remove();
    tile.classList.remove('done');
    tile.classList.add('failed');
    openerOf(image).tabIndex = -1;
    const kind = rareFormat(image);
    const way = kind
      ? make('a', { className: 'button', href: original(image), download: '', textContent: 'Save the file' })
      : make('button', { className: 'button', type: 'button', textContent: 'Retry' });
    const reason = kind ? `This browser shows no ${kind.toUpperCase()} images.` : 'This image could not be loaded.';
    tile.prepend(make('div', { className: 'problem' }, make('p', { textContent: reason }), way));
    if (!kind) way.addEventListener('click', () => retry(image, way));
    if (hadFocus) way.focus({ preventScroll: true });
  };

  let retries = 0;
  const retry = (image, button) => {
    button.textContent = 'Trying…';
    image.loading = 'eager';
    image.src = `${image.getAttribute('src').split('?')[0]}?${++retries}`;
  };

  document.addEventListener('load', event => event.target.localName === 'img' && markLoaded(event.target), true);
  document.addEventListener('error', event => event.target.localName === 'img' && markFailed(event.target), true);

  const prepare = section => {
    for (const image of section.querySelectorAll('figure > img, figure > a > img')) {
      const opener = openerOf(image);
      opener.tabIndex = 0;
      opener.setAttribute('role', 'button');
      opener.setAttribute('aria-haspopup', 'dialog');
      if (image.complete && image.currentSrc) (image.naturalWidth ? markLoaded : markFailed)(image);
    }
  };
  for (const section of main.querySelectorAll('.images')) prepare(section);

  // More images

  // The browser's cache may hold pages of an older gallery, so each page is revalidated.
  const read = href => onDisk ? readFrame(href) : fetch(href, { cache: 'no-cache' }).then(response => {
    if (!response.ok) throw new Error(`${href}: ${response.status}`);
    return response.text();
  });
  const readFrame = href => new Promise((resolve, reject) => {
    const frame = make('iframe', { hidden: true, src: href + key });
    const end = () => {
      removeEventListener('message', listen);
      clearTimeout(limit);
      frame.remove();
    };
    const limit = setTimeout(() => {
      end();
      reject(new Error(`${href} can't be read`));
    }, 10000);
    const listen = event => {
      if (event.source !== frame.contentWindow) return;
      end();
      resolve(event.data);
    };
    addEventListener('message', listen);
    document.body.append(frame);
  });

  const state = document.querySelector('#state');
  const nextLink = () => document.querySelector('.pages a[rel=next]');
  let loading = null;
  const loadMore = () => loading = loading || (async () => {
    const link = nextLink();
    if (!link) return false;
    const href = link.getAttribute('href');
    const next = new DOMParser().parseFromString(await read(href), 'text/html');
    // The gallery may have changed meanwhile. Only a page of the same edition continues where this page ends.
    const edition = next.querySelector('main')?.dataset.edition;
    if (edition !== main.dataset.edition) throw new Error(`${href} is of another gallery`);
    const parts = [...next.querySelectorAll('main > *')].map(part => document.importNode(part, true));
    main.append(...parts);
    const sections = parts.filter(part => part.localName === 'section');
    for (const section of sections) prepare(section);
    filter(sections);
    showAges();
    // The navigation is a new element, because moving the old one would make the view jump. Its link to the previous page is
    // that of the page which was opened first.
    const oldPages = document.querySelector('.pages');
    const newPages = document.importNode(next.querySelector('.pages'), true);
    newPages.querySelector('a[rel=prev]').remove();
    newPages.prepend(...[...oldPages.querySelectorAll('a[rel=prev]')].map(previous => previous.cloneNode(true)));
    oldPages.remove();
    if (newPages.children.length) main.after(newPages);
    if (!wanted().length) state.textContent = sections.map(section => section.getAttribute('aria-label')).join(', ');
    return true;
  })().finally(() => {
    loading = null;
    watch();
  });

  // If loading fails, the link to the next page stays, and the visitor can click it.
  const approach = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      approach.unobserve(entry.target);
      loadMore().catch(() => approach.disconnect());
    }
  }, { rootMargin: '1500px 0px' });
  const watch = () => {
    approach.disconnect();
    const link = nextLink();
    if (link) approach.observe(link);
  };
  watch();

  // The search by words, in all pages

  const find = document.querySelector('input[type=search]');
  const plain = text => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const wanted = () => find ? plain(find.value).split(/\s+/).filter(Boolean) : [];
  const words = new WeakMap();
  const wordsOf = item => {
    if (!words.has(item)) {
      words.set(item, plain([...item.querySelectorAll('p, small, h2, .source')].map(part => part.textContent).join(' ')));
    }
    return words.get(item);
  };
  const filter = sections => {
    const all = wanted();
    for (const section of sections) {
      for (const item of section.querySelectorAll('figure, article')) {
        item.hidden = !all.every(word => wordsOf(item).includes(word));
      }
    }
    for (const line of main.querySelectorAll('.gone, .newest')) line.hidden = all.length > 0;
    const count = main.querySelectorAll('section > :not([hidden])').length;
    document.body.classList.toggle('searching', all.length > 0);
    if (all.length) state.textContent = count ? `${count.toLocaleString('en')} found` : 'Nothing has these words.';
  };
  let search = 0;
  const searchAll = async () => {
    const own = ++search;
    filter(main.querySelectorAll('section'));
    while (own === search && wanted().length && await loadMore().catch(() => false));
  };
  if (find) find.addEventListener('input', searchAll);

  // The large view

  const images = () => [...main.querySelectorAll('figure:not(.missing):not([hidden]) img')];
  let view, shown, isGoingBack = false;

  // An open view is a step of the history, so that the back button closes it. Going back is asynchronous: until it is done,
  // the history is left alone.
  const isAtView = () => Boolean(history.state && history.state.view);
  const pageURL = hash => location.pathname + location.search + hash;
  // Makes the history match the view. The URL's fragment is the anchor of the image that is shown.
  const keepHistory = () => {
    if (isGoingBack) return;
    if (view.open) {
      const { id } = tileOf(shown);
      const step = isAtView() ? 'replaceState' : 'pushState';
      history[step]({ view: true }, '', pageURL(id ? `#${id}` : ''));
    } else if (isAtView()) {
      isGoingBack = true;
      history.back();
    }
  };

  const build = () => {
    const button = (className, label, text, action) => {
      const made = make('button', { className, type: 'button', textContent: text });
      made.setAttribute('aria-label', label);
      made.addEventListener('click', action);
      return made;
    };
    view = make('dialog', { className: 'view' });
    view.setAttribute('aria-label', 'Large view');
    view.image = make('img', { decoding: 'async' });
    view.problem = make('p', { hidden: true });
    view.count = make('p', { className: 'count' });
    view.count.setAttribute('aria-live', 'polite');
    view.caption = make('div', { className: 'said' });
    view.stage = make('div', { className: 'stage' }, view.image, view.problem);
    view.previous = button('previous', 'Previous image', '‹', () => step(-1));
    view.next = button('next', 'Next image', '›', () => step(1));
    view.play = button('play', 'Slideshow', '▶', () => play(!isPlaying));
    view.append(
      view.stage, view.caption, view.count, view.play, button('close', 'Close', '×', () => view.close()), view.previous,
      view.next);
    view.image.addEventListener('load', goOn);
    view.image.addEventListener('error', () => {
      const [small, kind] = [shown.currentSrc, rareFormat(shown)];
      // If the browser can't show the format of an image, its thumbnail is shown.
      if (small && openerOf(shown) !== shown && view.image.src !== small) {
        view.image.src = small;
        return;
      }
      view.problem.textContent =
        kind ? `This browser shows no ${kind.toUpperCase()} images.` : 'This image could not be loaded.';
      view.problem.hidden = !(view.image.hidden = true);
      goOn();
    });
    view.stage.addEventListener('click', event => event.target === view.stage && view.close());
    view.addEventListener('keydown', event => {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      const isPause = event.key === ' ' && event.target.localName !== 'button';
      if (!move && !isPause || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (move) step(move);
      else play(!isPlaying);
    });
    swipe(view);
    view.addEventListener('close', () => {
      // The event is asynchronous, so the view may be open again.
      if (view.open) return;
      play(false);
      if (document.fullscreenElement) document.exitFullscreen();
      document.documentElement.classList.remove('viewing');
      keepHistory();
      shown.scrollIntoView({ block: 'nearest' });
      openerOf(shown).focus({ preventScroll: true });
    });
    document.body.append(view);
  };

  const swipe = element => {
    let start = null;
    element.addEventListener('touchstart', event => {
      const touch = event.touches[0];
      start = event.touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
    }, { passive: true });
    element.addEventListener('touchend', event => {
      // In a zoomed image, a finger scrolls.
      if (!start || (window.visualViewport && visualViewport.scale > 1.05)) return;
      const x = event.changedTouches[0].clientX - start.x;
      const y = event.changedTouches[0].clientY - start.y;
      start = null;
      if (Math.abs(x) > 48 && Math.abs(x) > 1.5 * Math.abs(y)) step(x < 0 ? 1 : -1);
      else if (y > 96 && y > 2 * Math.abs(x) && !event.target.closest('.said')) view.close();
    }, { passive: true });
  };

  const show = (image, all) => {
    shown = image;
    const at = all.indexOf(image);
    const tile = tileOf(image);
    view.problem.hidden = true;
    view.image.hidden = false;
    view.image.removeAttribute('src');
    view.image.width = image.getAttribute('width') || image.naturalWidth;
    view.image.height = image.getAttribute('height') || image.naturalHeight;
    view.image.alt = image.alt;
    // The thumbnail is shown until the image is loaded.
    view.image.style.backgroundImage = image === openerOf(image) ? '' : `url("${image.getAttribute('src')}")`;
    view.image.src = original(image);
    // Missing images count too, although the view skips them.
    const number = Number(main.dataset.first) + [...main.querySelectorAll('figure')].indexOf(tile);
    view.count.textContent = [number, Number(main.dataset.images)].map(n => n.toLocaleString('en')).join(' of ');
    const caption = tile.querySelector('figcaption');
    const links = [...caption.querySelectorAll('a')].flatMap(link => [' · ', link.cloneNode(true)]).slice(1);
    view.caption.replaceChildren(...[...caption.querySelectorAll('p, small')].map(part => part.localName === 'small'
      ? make('p', { className: 'soft', textContent: part.textContent })
      : part.cloneNode(true)), make('p', { className: 'soft' }, ...links));
    view.previous.disabled = at === 0;
    view.next.disabled = at === all.length - 1 && !nextLink();
    const neighbour = all[at + 1];
    if (neighbour) new Image().src = original(neighbour);
  };

  const step = async move => {
    let all = images();
    let to = Math.max(0, all.indexOf(shown) + move);
    if (move === 1 && to === all.length && await loadMore().catch(() => false)) all = images();
    to = Math.min(to, all.length - 1);
    if (all[to] === shown) return;
    show(all[to], all);
    keepHistory();
    if (document.activeElement === document.body || document.activeElement.disabled) view.querySelector('.close').focus();
  };

  const open = image => {
    if (!view) build();
    show(image, images());
    document.documentElement.classList.add('viewing');
    view.showModal();
    keepHistory();
  };

  // The slideshow

  const seconds = 5;
  let isPlaying = false, turn;
  const goOn = () => {
    clearTimeout(turn);
    if (isPlaying) turn = setTimeout(() => step(view.next.disabled ? -Infinity : 1), seconds * 1000);
  };
  const play = isToPlay => {
    isPlaying = isToPlay;
    view.play.textContent = isPlaying ? '❚❚' : '▶';
    view.play.setAttribute('aria-label', isPlaying ? 'Pause' : 'Slideshow');
    // During the slideshow, screen readers are spared an announcement of each image.
    view.count.setAttribute('aria-live', isPlaying ? 'off' : 'polite');
    if (!isPlaying || view.image.complete) goOn();
  };
  const startPlaying = () => {
    const [first] = images();
    if (!view || !view.open) {
      if (!first) return;
      open(first);
    }
    play(true);
    // With the focus on the button, Space pauses the slideshow.
    view.play.focus();
  };
  const playButton = document.querySelector('.tools .play');
  if (playButton) playButton.addEventListener('click', startPlaying);

  // The keys

  const keys = [
    ['← →', 'the previous and the next image'], ['Home End', 'the first and the last'], ['Enter', 'opens an image'],
    ['Esc', 'closes it'], ['S', 'slideshow'], ['Space', 'starts and pauses it'], ['F', 'full screen'], ['/', 'search'],
    ['?', 'these keys'],
  ];
  let help;
  const showKeys = () => {
    if (!help) {
      const close = make('button', { className: 'button', type: 'button', textContent: 'Close' });
      close.addEventListener('click', () => help.close());
      help = make('dialog', { className: 'keys' }, make('h2', { textContent: 'Keys' }), make('dl', {}, ...keys.flatMap(
        ([key, what]) => [make('dt', { textContent: key }), make('dd', { textContent: what })])), close);
      help.setAttribute('aria-label', 'Keys');
      document.body.append(help);
    }
    if (!help.open) help.showModal();
  };
  document.querySelector('.tools .help').addEventListener('click', showKeys);
  const actions = {
    '?': showKeys,
    '/': () => find && !(view && view.open) && find.focus(),
    s: () => isPlaying ? play(false) : playButton && startPlaying(),
    f: () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else if (view && view.open) view.requestFullscreen().catch(() => {});
    },
  };
  document.addEventListener('keydown', event => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.localName === 'input') return;
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // Opens the image whose anchor is the fragment of the URL, on whatever page it is now.
  const openAddressed = async () => {
    const id = location.hash.slice(1);
    if (!/^[0-9a-f]{12}$/.test(id)) return;
    let tile;
    while (!(tile = document.getElementById(id)) && await loadMore().catch(() => false));
    const image = tile && tile.querySelector('img');
    if (!isAtView() || !image) history.replaceState(null, '', pageURL(''));
    if (image) open(image);
    else if (tile) tile.scrollIntoView({ block: 'center' });
  };

  if (isAtView() && !location.hash) history.replaceState(null, '');
  openAddressed();
  addEventListener('hashchange', () => isAtView() || openAddressed());
  addEventListener('popstate', () => {
    if (!view) return;
    if (isGoingBack) isGoingBack = false;
    else if (view.open) view.close();
    // The visitor goes forward to the view again.
    else if (isAtView()) open(shown);
    keepHistory();
  });
  const openers = '.images figure > img, .images figure > a:has(> img)';
  const imageIn = opener => opener.localName === 'img' ? opener : opener.querySelector('img');
  document.addEventListener('click', event => {
    const opener = event.target.closest && event.target.closest(openers);
    if (!opener || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(imageIn(opener));
  });
  document.addEventListener('keydown', event => {
    if ((event.key !== 'Enter' && event.key !== ' ') || !event.target.matches(openers)) return;
    event.preventDefault();
    open(imageIn(event.target));
  });
})();
