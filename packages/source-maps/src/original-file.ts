/** Projects of Turbopack are in `[project]`, everything else in its brackets is its own. */
const TURBOPACK = /^turbopack:\/\/\/?(?:\[project\]\/)?/;
const LAYER = / \[[\w-]{1,40}\] \([\w ,+-]{1,80}\)$/;
/**
 * The namespace of webpack and Rspack, which is the name of a package and may have slashes itself; the path behind it
 * begins with `./` or `../` where it is that of a module.
 */
const WEBPACK =
  /^webpack(?:-internal)?:\/\/(?:@[^/]{0,200}\/(?!\.{1,2}\/)[^/]{0,200}|[^/]{0,200}(?:\/[^/.][^/]{0,200}){0,2}?(?=\/\.{1,2}\/)|[^/]{0,200})(?=\/|$)/i;
const WITH_HOST = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]*/i;
const SCHEME = /^[a-z][a-z0-9+.-]{1,30}:/i;
const DRIVE = /^\/?[a-z]:(?=\/)/i;
/** A path of Windows from its drive or its root on, also in the form without a limit of length, `\\?\C:\shop`. */
const WINDOWS_ROOT = /^(?:[a-z]:[\\/]|\\)/i;
const LONG_PATH = /^\/\/\?\/(?:UNC\/)?/i;
/** The limit of a name; its end says which file it is. */
const FILE_CHARS_MAX = 1000;
const PARCEL = /^\/?__parcel_source_root\//;
/** The prefix in the names that plug-ins of esbuild give loaded files; the path after it is that of a file. */
const NAMESPACE =
  /^(?!(?:data|blob|node|internal|virtual|angular):)[a-z][a-z0-9-]{1,30}:(?=[^:]{0,900}\.\w{1,8}(?:[?#]|$))/i;

/** The source of a map with its root in front (docs/contract/source-maps.md 4.4). */
export function joinedSource(root: string | null, source: string): string {
  const isWhole = [WITH_HOST, SCHEME, WINDOWS_ROOT].some((each) => each.test(source));
  if (root === null || root === '' || isWhole || source.startsWith('/')) return source;
  return root.endsWith('/') ? root + source : `${root}/${source}`;
}

/** The name of an original file, equal for every bundler and machine (docs/contract/source-maps.md 4.4). */
export function originalFile(source: string): string {
  let text = withoutControls(source.toWellFormed()).replaceAll('\\', '/').replace(LONG_PATH, '/');
  const isWebpack = /^webpack/i.test(text);
  if (TURBOPACK.test(text)) {
    // It encodes the query of a module too.
    text = decoded(text.replace(TURBOPACK, '').replace(LAYER, '')).split(/[?#]/, 1)[0] ?? '';
  } else {
    // Sources are addresses, also relative ones: esbuild and Terser encode what is not ASCII.
    text = decoded(withoutScheme(text).split(/[?#]/, 1)[0] ?? '');
  }
  text = text.replace(DRIVE, '').replace(PARCEL, '');
  const isRooted = text.startsWith('/');
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part === '~' && isWebpack ? MODULES : part);
  }
  const modules = parts.lastIndexOf(MODULES);
  if (modules !== -1) return parts.slice(modules).join('/').slice(-FILE_CHARS_MAX).toWellFormed();
  const path = parts.join('/');
  return (isRooted && path !== '' ? `/${path}` : path).slice(-FILE_CHARS_MAX).toWellFormed();
}

/** Decodes the names in an address: `%5Bslug%5D`. A path that cannot be decoded is returned unchanged. */
function decoded(path: string): string {
  try {
    return withoutControls(decodeURIComponent(path));
  } catch {
    return path;
  }
}

/** A name that is one line of a stack, whatever is in it. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '');
}

/** webpack 1 wrote `~` for it. */
const MODULES = 'node_modules';

/** An address without its scheme and host; what follows `webpack://name/` is relative to the project. */
function withoutScheme(text: string): string {
  const host = WEBPACK.exec(text) ?? WITH_HOST.exec(text);
  if (host === null) {
    const bare = text.replace(/^(?:webpack-internal|webpack|rollup|vite|ng|app|metro|file):/i, '');
    return bare.replace(DRIVE, '').replace(NAMESPACE, '');
  }
  const rest = text.slice(host[0].length);
  return /^file:/i.test(text) ? rest : rest.replace(/^\//, '');
}

/** Code that bundlers and frameworks add. */
const FOREIGN = [
  /^(?:webpack\/|\[turbopack\]\/|\(webpack\)|ignored\||vite\/|virtual:|external |__vite|__prelude__|rolldown\/runtime|commonjsHelpers|<|\(disabled\))/,
  /^(?:node|internal|angular|data|dataurl|https?-url|[a-z-]{1,40}-polyfills|[a-z-]{1,40}-virtual(?:-modules)?):/,
  // A namespace with a name that is no file.
  /^[a-z][a-z0-9-]{1,40}:[^/.]*$/i,
  /^turbopack:\/\/\/?\[(?!project\])/,
  /(?:^|\/)(?:node_modules|bower_components|jspm_packages|\(webpack\)|\.(?:yarn|pnpm|svelte-kit|nuxt|astro|angular|react-router))\//,
  // The modules with which webpack loads files by a computed name.
  /^webpack:.{0,900} (?:sync|lazy|lazy-once|eager|weak|async-weak)(?: (?:\^|\/|recursive|nonrecursive|namespace)|$)/,
  // Angular is published with the names that its own build has.
  /^k8-\w{1,20}-ST-[0-9a-f]{1,40}\/bin\/(?:packages|src\/(?:cdk|material))\//,
  // Polyfills of @vitejs/plugin-legacy, which are not named from the folder that they are in.
  /^(?:core-js\/(?:internals|modules)|systemjs\/dist|regenerator-runtime)\//,
  // Standard libraries and crates of languages that are compiled to JavaScript and WebAssembly.
  /^\/?rustc\/[0-9a-f]{40}\//,
  /^(?:org-dartlang-sdk|npm|jsr):/,
  /(?:^|\/)(?:\.cargo\/(?:registry|git)|\.rustup\/toolchains|emsdk\/(?:upstream|emscripten)|go\/pkg\/mod)\//,
  // Packages that are loaded by their address.
  /^https?:\/\/(?:raw\.githubusercontent\.com\/(?:scala|scala-js|JetBrains)\/|(?:deno\.land|esm\.sh|esm\.run|jsr\.io|unpkg\.com|cdn\.jsdelivr\.net|cdn\.skypack\.dev|ga\.jspm\.io)\/)/i,
];

/**
 * Returns true if a source is no code of the application (docs/contract/source-maps.md 4.6); one with a NUL is of a
 * plug-in.
 */
export function isForeignSource(source: string, file: string): boolean {
  // The query names loaders, which are libraries.
  const [plain = ''] = source.split('?', 1);
  return source.includes('\0') || FOREIGN.some((each) => each.test(file) || each.test(plain));
}
