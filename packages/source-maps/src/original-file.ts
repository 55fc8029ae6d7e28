/** Schemes whose host is a name of the bundler's own. */
const TURBOPACK = /^turbopack:\/\/\/(?:\[project\]\/)?/;
const WITH_HOST = /^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]*/i;
const SCHEME = /^[a-z][a-z0-9+.-]{1,30}:/i;
const DRIVE = /^\/?[a-z]:(?=\/)/i;

/** The source of a map with its root in front (docs/contract/source-maps.md 4.4). */
export function joinedSource(root: string | null, source: string): string {
  if (root === null || root === '' || WITH_HOST.test(source) || SCHEME.test(source) || source.startsWith('/'))
    return source;
  return root.endsWith('/') ? root + source : `${root}/${source}`;
}

/** The name of an original file, equal for every bundler and machine (docs/contract/source-maps.md 4.4). */
export function originalFile(source: string): string {
  let text = source.replaceAll('\0', '').replaceAll('\\', '/');
  text = TURBOPACK.test(text) ? text.replace(TURBOPACK, '') : withoutScheme(text);
  text = text.split(/[?#]/, 1)[0] ?? '';
  text = text.replace(DRIVE, '');
  const isRooted = text.startsWith('/');
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else parts.pop();
  }
  const modules = parts.lastIndexOf('node_modules');
  if (modules !== -1) return parts.slice(modules).join('/');
  const path = parts.join('/');
  return isRooted && path !== '' ? `/${path}` : path;
}

/** An address without its scheme and host; what follows `webpack://name/` is relative to the project. */
function withoutScheme(text: string): string {
  const host = WITH_HOST.exec(text);
  if (host === null) return text.replace(/^(?:webpack-internal|webpack|rollup|vite|ng|app|metro|file):/i, '');
  const rest = text.slice(host[0].length);
  return /^file:/i.test(text) ? rest : rest.replace(/^\//, '');
}

/** Code that bundlers and frameworks add; a name that had a NUL is of a plug-in. */
const FOREIGN =
  /^(?:webpack\/|\[turbopack\]\/|\(webpack\)|vite\/|virtual:|external )|(?:^|\/)(?:node_modules|bower_components|jspm_packages)\/|(?:^|\/)(?:\.yarn\/|\.pnpm\/)|^(?:node|internal):|(?:^|\/)\(webpack\)|^__vite|^rolldown\/runtime|^commonjsHelpers/;

/** Whether a source is no code of the application (docs/contract/source-maps.md 4.6). */
export function isForeignSource(source: string, file: string): boolean {
  return source.includes('\0') || FOREIGN.test(file) || FOREIGN.test(source);
}
