// What the pages do beyond showing themselves: how old they are, what a picture that fails says, more pictures on the way
// down, and the large view. Nothing is asked for outside the gallery's own folder.
'use strict';
(() => {
  const onDisk = location.protocol === 'file:';
  const main = document.querySelector('main');

  // Opened from disk, a page can't read the next one; but it can show it in a frame, unseen, and be told. Any page on the
  // disk can do that, and to a browser all of them are nobody: only the gallery's own know its key.
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

  // How old the page is

  const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]];
  const ago = seconds => {
    const [name, length] = units.find(([, length]) => seconds >= length) || units[3];
    const count = Math.max(0, Math.floor(seconds / length));
    return `${count} ${name}${count === 1 ? '' : 's'} ago`;
  };
  // As the page says it where it is true from the start.
  const staleNotice = 'Stale: there may be newer pictures by now.';
  const tellAges = () => {
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
  tellAges();
  setInterval(tellAges, 60000);

  // The exact time, when it is looked for: to know how the visitor writes dates takes a while.
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

  // Pictures that come, and pictures that don't

  const tileOf = element => element.closest('.pictures figure');
  const fewCanShow = image => (/\.(heic|tiff|jxl)$/.exec(image.getAttribute('src').split('?')[0]) || [])[1];

  const came = image => {
    const tile = tileOf(image);
    if (!tile) return;
    const problem = tile.querySelector('.problem');
    const hadFocus = problem && problem.contains(document.activeElement);
    if (problem) problem.remove();
    tile.classList.remove('failed');
    tile.classList.add('done');
    image.tabIndex = 0;
    if (hadFocus) image.focus({ preventScroll: true });
  };

  const failed = image => {
    const tile = tileOf(image);
    if (!tile) return;
    const old = tile.querySelector('.problem');
    const hadFocus = old && old.contains(document.activeElement);
    if (old) old.remove();
    tile.classList.remove('done');
    tile.classList.add('failed');
    image.tabIndex = -1;
    const kind = fewCanShow(image);
    const way = kind
      ? make('a', { className: 'button', href: image.getAttribute('src'), download: '', textContent: 'Save the file' })
      : make('button', { className: 'button', type: 'button', textContent: 'Retry' });
    const reason = kind ? `This browser shows no ${kind.toUpperCase()} pictures.` : 'This picture could not be loaded.';
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

  document.addEventListener('load', event => event.target.localName === 'img' && came(event.target), true);
  document.addEventListener('error', event => event.target.localName === 'img' && failed(event.target), true);

  const prepare = section => {
    for (const image of section.querySelectorAll('figure > img')) {
      image.tabIndex = 0;
      image.setAttribute('role', 'button');
      image.setAttribute('aria-haspopup', 'dialog');
      if (image.complete && image.currentSrc) (image.naturalWidth ? came : failed)(image);
    }
  };
  for (const section of main.querySelectorAll('.pictures')) prepare(section);

  // More pictures

  // What the browser has kept may be of an older gallery than this page.
  const read = href => onDisk ? readFrame(href) : fetch(href, { cache: 'no-cache' }).then(answer => {
    if (!answer.ok) throw new Error(`${href}: ${answer.status}`);
    return answer.text();
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
    // One of a gallery that took this one's place meanwhile doesn't go on where this page ends.
    const making = next.querySelector('main')?.dataset.making;
    if (making !== main.dataset.making) throw new Error(`${href} is of another gallery`);
    const sections = [...next.querySelectorAll('main > section')].map(section => document.importNode(section, true));
    main.append(...sections);
    for (const section of sections) prepare(section);
    tellAges();
    // A new element, not the old one moved: what is seen doesn't jump. The way back is that of the page first opened.
    const oldPages = document.querySelector('.pages');
    const newPages = document.importNode(next.querySelector('.pages'), true);
    newPages.querySelector('a[rel=prev]').remove();
    newPages.prepend(...[...oldPages.querySelectorAll('a[rel=prev]')].map(previous => previous.cloneNode(true)));
    oldPages.remove();
    if (newPages.children.length) main.after(newPages);
    state.textContent = sections.map(section => section.getAttribute('aria-label')).join(', ');
    return true;
  })().finally(() => {
    loading = null;
    watch();
  });

  // A link that can't be followed here stays a link.
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

  // The large view

  const images = () => [...main.querySelectorAll('figure:not(.missing) > img')];
  let view, shown, isGoingBack = false;

  // A step of the history for an open view, so that a phone's way back leads back to the pictures. Going back comes about
  // later than it is asked for: until then nothing more is done to the history.
  const isAtView = () => Boolean(history.state && history.state.view);
  const keepHistory = () => {
    if (isGoingBack || view.open === isAtView()) return;
    if (view.open) {
      history.pushState({ view: true }, '');
    } else {
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
    view.picture = make('img', { decoding: 'async' });
    view.problem = make('p', { hidden: true, textContent: 'This picture could not be loaded.' });
    view.count = make('p', { className: 'count' });
    view.count.setAttribute('aria-live', 'polite');
    view.said = make('div', { className: 'said' });
    view.stage = make('div', { className: 'stage' }, view.picture, view.problem);
    view.previous = button('previous', 'Previous picture', '‹', () => step(-1));
    view.next = button('next', 'Next picture', '›', () => step(1));
    view.append(
      view.stage, view.said, view.count, button('close', 'Close', '×', () => view.close()), view.previous, view.next);
    view.picture.addEventListener('error', () => { view.problem.hidden = !(view.picture.hidden = true); });
    view.stage.addEventListener('click', event => event.target === view.stage && view.close());
    view.addEventListener('keydown', event => {
      const move = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      step(move);
    });
    swipe(view);
    view.addEventListener('close', () => {
      // It comes later than it is asked for, too.
      if (view.open) return;
      document.documentElement.classList.remove('viewing');
      keepHistory();
      shown.scrollIntoView({ block: 'nearest' });
      shown.focus({ preventScroll: true });
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
      // Of a picture that is zoomed into, a finger shows another part.
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
    view.picture.hidden = false;
    view.picture.removeAttribute('src');
    view.picture.width = image.getAttribute('width') || image.naturalWidth;
    view.picture.height = image.getAttribute('height') || image.naturalHeight;
    view.picture.alt = image.alt;
    view.picture.src = image.getAttribute('src');
    // Those that are missing count, though they aren't shown.
    const place = Number(main.dataset.first) + [...main.querySelectorAll('figure')].indexOf(tile);
    view.count.textContent = [place, Number(main.dataset.pictures)].map(n => n.toLocaleString('en')).join(' of ');
    const caption = tile.querySelector('figcaption');
    const links = [...caption.querySelectorAll('a')].flatMap(link => [' · ', link.cloneNode(true)]).slice(1);
    view.said.replaceChildren(...[...caption.querySelectorAll('p, small')].map(part => part.localName === 'small'
      ? make('p', { className: 'soft', textContent: part.textContent })
      : part.cloneNode(true)), make('p', { className: 'soft' }, ...links));
    view.previous.disabled = at === 0;
    view.next.disabled = at === all.length - 1 && !nextLink();
    const neighbour = all[at + 1];
    if (neighbour) new Image().src = neighbour.getAttribute('src');
  };

  const step = async move => {
    let all = images();
    let to = Math.max(0, all.indexOf(shown) + move);
    if (move === 1 && to === all.length && await loadMore().catch(() => false)) all = images();
    to = Math.min(to, all.length - 1);
    if (all[to] === shown) return;
    show(all[to], all);
    if (document.activeElement === document.body || document.activeElement.disabled) view.querySelector('.close').focus();
  };

  const open = image => {
    if (!view) build();
    show(image, images());
    document.documentElement.classList.add('viewing');
    view.showModal();
    keepHistory();
  };

  if (isAtView()) history.replaceState(null, '');
  addEventListener('popstate', () => {
    if (!view) return;
    if (isGoingBack) isGoingBack = false;
    else if (view.open) view.close();
    // The way forward, to what was looked at.
    else if (isAtView()) open(shown);
    keepHistory();
  });
  document.addEventListener('click', event => {
    if (event.target.matches('.pictures figure > img')) open(event.target);
  });
  document.addEventListener('keydown', event => {
    if ((event.key !== 'Enter' && event.key !== ' ') || !event.target.matches('.pictures figure > img')) return;
    event.preventDefault();
    open(event.target);
  });
})();
