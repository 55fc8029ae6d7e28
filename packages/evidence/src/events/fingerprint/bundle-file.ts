/** Names of files that say nothing without their directory. */
const SAYS_NOTHING = /^(?:index|main|app|page|route|layout|handler|utils|default|mod|entry|client|server)$/i;
const BUNDLE_EXTENSION =
  /(?:\.(?:chunk|min|bundle|esm|umd|iife|prod|production|module|es\d{1,4}))?\.[a-z]{1,10}$/i;

/** What Firefox writes behind the file of evaluated code. */
const EVALUATED = / line \d{1,9} > .*$/;
/** The name of a blob. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The name of a file that a browser fetched, as it survives a new build: without its hash and its directories. */
export function bundleModule(file: string): string {
  const segments = file
    .replace(EVALUATED, '')
    .split('/')
    .filter((part) => part !== '');
  const base = segments.pop() ?? '';
  const stem = withoutHash(base);
  const name = stem.replace(/\.[a-z]{1,10}$/i, '');
  const directory = segments.at(-1);
  return SAYS_NOTHING.test(name) && directory !== undefined ? `${withoutHash(directory)}/${stem}` : stem;
}

/** The base name without the part that changes with each build, and without the words of bundlers. */
export function withoutHash(base: string): string {
  if (UUID.test(base)) return '*';
  const extension = BUNDLE_EXTENSION.exec(base)?.[0] ?? '';
  const stem = base.slice(0, base.length - extension.length);
  const last = extension.slice(extension.lastIndexOf('.'));
  return `${stemWithoutHash(stem)}${last}`;
}

const HASH_CHARS = 8;

/** Looks for a hash of eight characters first: its alphabet holds the separators. */
function stemWithoutHash(stem: string): string {
  const eight = stem.length - HASH_CHARS;
  if (eight > 1 && isSeparator(stem.charAt(eight - 1)) && isMixedHash(stem.slice(eight))) {
    return stem.slice(0, eight - 1);
  }
  const cut = Math.max(stem.lastIndexOf('-'), stem.lastIndexOf('.'));
  const tail = stem.slice(cut + 1);
  if (!isHexHash(tail)) return stem;
  return cut <= 0 ? '*' : stem.slice(0, cut);
}

function isSeparator(char: string): boolean {
  return char === '-' || char === '.';
}

function isHexHash(tail: string): boolean {
  return /^[0-9a-f]{5,64}$/i.test(tail) && /\d/.test(tail);
}

const WORDS = /^[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*$/;

/** Characters of base64url whose class changes often, as it does in no word. */
function isMixedHash(tail: string): boolean {
  if (!/^[\w-]{8}$/.test(tail) || WORDS.test(tail)) return false;
  let changes = 0;
  for (let index = 1; index < tail.length; index++) {
    if (classOf(tail.charCodeAt(index)) !== classOf(tail.charCodeAt(index - 1))) changes += 1;
  }
  return changes >= 3;
}

function classOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 0;
  if (code >= 0x41 && code <= 0x5a) return 1;
  return code >= 0x61 && code <= 0x7a ? 2 : 3;
}
