// Words that match text without regard to case and accents. The text is searched as it is, because removing the accents of a
// whole gallery would take most of the time.

// Returns a text without case and accents.
const plain = text => text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').toUpperCase();

// The characters that are the same as a plain character, or as several, such as É for E, and ß for SS.
let variants = null;
const findVariants = () => {
  variants = new Map();
  for (const [first, last] of [[0x61, 0x33ff], [0xf900, 0xffef]]) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCharCode(code);
      const without = plain(character);
      if (without && without !== character) variants.set(without, (variants.get(without) || '') + character);
    }
  }
};

const escaped = character => character.replace(/[\\^$.*+?()[\]{}|\/-]/, '\\$&');
// Accents may follow a letter as characters of their own.
const accents = '[\\u0300-\\u036f\\u3099\\u309a]*';
const oneOf = character => character.length > 1 ? character
  : `[${escaped(character)}${[...variants.get(character) || ''].map(escaped).join('')}]${accents}`;

// Returns an expression for a word.
const matcher = word => {
  if (!variants) findVariants();
  const characters = [...plain(word)];
  let pattern = '';
  for (let at = 0; at < characters.length;) {
    const length = [3, 2, 1].find(count => count === 1 || at + count <= characters.length
      && variants.has(characters.slice(at, at + count).join('')));
    const part = characters.slice(at, at + length);
    const single = part.map(oneOf).join('');
    pattern += length === 1 ? single : `(?:${single}|[${variants.get(part.join(''))}])`;
    at += length;
  }
  return new RegExp(pattern);
};
