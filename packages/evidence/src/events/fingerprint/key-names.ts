import { forwardSlashes } from './file-path.ts';
import { cleanDirectory, cleanFileName, cleanName, ODD_ANYWHERE, type OddEnough } from './machine-names.ts';
import { remembering } from './remembered-names.ts';

/** The names of frames in the form that is compared, and never shown (docs/contract/grouping.md 4). */

export const ANONYMOUS = '<anonymous>';
export const MINIFIED = '<min>';

/** No compiler's hash justifies more; longer names are compared unchanged. */
const NAME_CHARS_MAX = 300;

const MAY_CHANGE =
  /[\d@$#<[{?+*]|\.(?:cold|part|isra|constprop|llvm|lto_priv)|-fm$|^(?:unknown|tmp|Container)|_(?:ClientProxy|Subclass|block_invoke)$|\.exe$/;

/** A module, which is a type, a package or the end of a path. */
export function keyModule(module: string): string {
  if (!MAY_CHANGE.test(module) && !mayBeLetters(module)) return module;
  return module.length > NAME_CHARS_MAX ? module : cleanedModule(module);
}

/** A directory that one run made in the place for such. */
const IN_TEMPORARY = /(?:^|[\\/])(?:tmp|T|Temp)[\\/][^\\/]{1,200}[\\/][^\\/]{1,200}$/i;

/** A module that is the end of a path. */
export function keyFile(module: string, file: string | null): string {
  const isOfRun = file !== null && module.includes('/') && IN_TEMPORARY.test(file);
  return isOfRun ? keyModule(module).replace(/^[^/]*/, 'tmp') : keyModule(module);
}

/** Eight letters, which may be a hash of letters alone, before the extension of a script. */
function mayBeLetters(module: string): boolean {
  const dot = module.lastIndexOf('.');
  return dot >= 8 && module.length - dot < 8 && LETTERS_BEFORE_EXTENSION.test(module.slice(dot - 8));
}

const LETTERS_BEFORE_EXTENSION = /^[\w-]{8}\.[a-z]{2,6}$/;
const FILE = /\.[a-z]{1,6}\d?$/;
/** The folders in which bundlers for servers store their files. */
const CHUNKS = /^(?:_?chunks|_nuxt|_astro|immutable)$/;
const SCRIPT = /\.[cm]?js$/;

const cleanedModule = remembering(cleanModule);

function cleanModule(module: string): string {
  const segments = module.split('/');
  // The same program has no extension on other systems.
  const base = (segments.pop() ?? '').replace(/(?<=.)\.exe$/, '');
  const directory = segments.at(-1) ?? '';
  const directories = segments.map(cleanDirectory);
  if (directory.startsWith('ipykernel_')) return [...directories, base.replace(/^\d+/, '*')].join('/');
  const isFile = base.startsWith('<') || FILE.test(base);
  const odd = CHUNKS.test(directory) && SCRIPT.test(base) ? ODD_AMONG_HASHES : ODD_ANYWHERE;
  const name = isFile ? cleanFileName(base, odd) : cleanName(base);
  if (isShard(directory, base) && name.startsWith('*')) directories.splice(-1, 1, '*');
  return [...directories, name].join('/');
}

/** Caches spread files over directories by characters of the hash in their name: `ab/abcdef0123.php`. */
function isShard(directory: string, base: string): boolean {
  return directory.length === 2 && base.slice(0, 4).includes(directory);
}

const ADDRESS =
  /^(?:0x[0-9a-f]{3,16}|\$?[0-9a-f]{8,16}|wasm-function\[\d{1,9}\].*|sub_[0-9a-f]{4,16}|\?\?|<unknown>|unknown|\(null\))$/i;

/** A function, without what compilers and frameworks add to its name. */
export function keyFunction(name: string): string {
  if (name === '' || name === ANONYMOUS) return ANONYMOUS;
  return name.length <= NAME_CHARS_MAX && MAY_CHANGE.test(name) ? cleanedFunction(name) : name;
}

const cleanedFunction = remembering(cleanFunction);

function cleanFunction(name: string): string {
  if (name === MINIFIED || name === '<main>') return name;
  if (ADDRESS.test(name) && (/\d/.test(name) || name.startsWith('0x') || !/^[0-9a-f]+$/i.test(name))) {
    return ANONYMOUS;
  }
  const clean = cleanName(name);
  return clean === '*' || /^\d+$/.test(clean) ? ANONYMOUS : clean;
}

const MINIFIED_CHARS_MAX = 3;
/** Short names that people write. */
const SHORT_WORDS: ReadonlySet<string> = new Set(
  (
    'run get set add map has put log end pop use api app new all any try del row tab nav sum max min avg now ' +
    'key val pay buy tax cut fix job msg url css dom ref sql xhr raf pub sub off on go up do is to ok ui io db id'
  ).split(' '),
);

/** Returns the own name of a function in a browser: engines disagree about the text before it. */
export function servedName(name: string): string {
  if (name === MINIFIED || name === ANONYMOUS) return name;
  const bare = name.replace(/^(?:get|set|static|async) /, '').replace(/\/?<{0,4}$/, '');
  const last = bare.slice(1 + Math.max(bare.lastIndexOf('.'), bare.lastIndexOf('/'), bare.lastIndexOf('#')));
  if (last === '' || last.startsWith('<')) return ANONYMOUS;
  return isMinifiedName(last) ? MINIFIED : keyFunction(last);
}

/** Returns true if a name in a minified file is too short for one that a person wrote. */
export function isMinifiedName(name: string): boolean {
  return name !== '' && name.length <= MINIFIED_CHARS_MAX && !SHORT_WORDS.has(name.toLowerCase());
}

/** Names of files that say nothing without their directory. */
const SAYS_NOTHING = /^(?:index|main|app|page|route|layout|handler|utils|default|mod|entry|client|server)$/i;
/** The folders in which packages of apps store their page: they are no part of its name. */
const ROOT_OF_PAGE = /^(?:www|public|android_asset|_capacitor_file_|.{1,100}\.(?:app|asar))$/i;
/** The folders that bundlers fill with files that all have a hash in their name. */
const OF_HASHES = /^(?:_nuxt|_astro|immutable|entry|nodes|chunks)$/;
const ODD_AMONG_HASHES: OddEnough = { alone: 2, behindUnderscore: 2 };
const ODD_IN_ASSETS: OddEnough = { ...ODD_ANYWHERE, alone: 3 };
const ODD_SERVED: OddEnough = { ...ODD_ANYWHERE, alone: 4 };
/** The text that Firefox writes after the file of evaluated code. */
const EVALUATED = / line \d{1,9} > .*$/;

/** The name of a file that a browser fetched, as it survives a new build: without its hash and its directories. */
export function bundleModule(file: string): string {
  return cleanedBundle(file.slice(-NAME_CHARS_MAX));
}

/** Returns true if bundlers fill a directory with files that all have a hash in their name. */
export function isOfHashes(directory: string): boolean {
  return OF_HASHES.test(directory);
}

function oddEnough(directory: string): OddEnough {
  if (isOfHashes(directory)) return ODD_AMONG_HASHES;
  return directory === 'assets' ? ODD_IN_ASSETS : ODD_SERVED;
}

const cleanedBundle = remembering(cleanBundle);

function cleanBundle(file: string): string {
  const segments = forwardSlashes(file.replace(EVALUATED, ''))
    .split('/')
    .filter((part) => part !== '');
  const base = segments.pop() ?? '';
  if (base === '') return '';
  const directory = segments.at(-1) ?? '';
  const stem = cleanFileName(base, oddEnough(directory));
  const name = stem.replace(/\.[a-z]{1,10}$/i, '');
  const isPlaced = SAYS_NOTHING.test(name) && directory !== '' && !ROOT_OF_PAGE.test(directory);
  return isPlaced ? `${cleanDirectory(directory)}/${stem}` : stem;
}
