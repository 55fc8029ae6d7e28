/**
 * Takes user-info, query and fragment out of every absolute URL in a text, as bundles show stacks and browser events
 * (docs/contract/incidents.md 3.7). A line and column behind a query stay: `x.js?v=1:10:5` becomes `x.js:10:5`. Linear
 * in the text. Grouping is not touched by it, since fingerprints ignore those parts anyway.
 */
export function stripUrlSecrets(text: string): string {
  return stripUrls(text, trailingPosition);
}

/** @param keptOf what stays of query and fragment */
function stripUrls(text: string, keptOf: (search: string) => string): string {
  let result = '';
  let copied = 0;
  let slashes = text.indexOf('://');
  while (slashes !== -1) {
    const start = slashes + 3;
    const end = urlEnd(text, start);
    if (slashes > 0 && SCHEME_END.test(text.charAt(slashes - 1))) {
      result += text.slice(copied, start) + strippedRest(text.slice(start, end), keptOf);
      copied = end;
    }
    slashes = text.indexOf('://', Math.max(end, start));
  }
  return copied === 0 ? text : result + text.slice(copied);
}

/** Strips one URL or path alone, as in a separate field; relative ones lose query and fragment, too. */
export function stripUrl(url: string): string {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]{0,31}:\/\//.exec(url);
  if (scheme !== null) return scheme[0] + strippedRest(url.slice(scheme[0].length), trailingPosition);
  const cut = url.search(/[?#]/);
  return cut === -1 ? url : url.slice(0, cut);
}

/**
 * An address that names no place in a file: everything behind `?` or `#` goes, so that nothing of a value is taken for
 * a line number.
 */
export function stripAddress(address: string): string {
  const cut = address.search(/[?#]/);
  return stripUrl(cut === -1 ? address : address.slice(0, cut));
}

/** `stripAddress` of every absolute URL in a text, up to the next white space, quote or bracket. */
export function stripAddresses(text: string): string {
  return stripUrls(text, () => '');
}

/** `stripUrlSecrets` of a line of a browser's trace, whose addresses may be relative. */
export function stripTraceAddresses(line: string): string {
  return stripUrlSecrets(line).replace(/\?[^\s"'<>()`]*/g, trailingPosition);
}

const SCHEME_END = /[A-Za-z0-9+.-]/;

/** White space, controls, quotes, angle brackets and a closing bracket end a URL in running text. */
function urlEnd(text: string, start: number): number {
  for (let i = start; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit <= 32 || unit === 34 || unit === 39 || unit === 60 || unit === 62 || unit === 41 || unit === 96)
      return i;
  }
  return text.length;
}

/** @param rest a URL without its scheme */
function strippedRest(rest: string, keptOf: (search: string) => string): string {
  const cut = rest.search(/[?#]/);
  const kept = cut === -1 ? rest : rest.slice(0, cut) + keptOf(rest.slice(cut));
  const hostEnd = kept.search(/[/\\]/);
  const userInfoEnd = (hostEnd === -1 ? kept : kept.slice(0, hostEnd)).lastIndexOf('@');
  return kept.slice(userInfoEnd + 1);
}

const POSITION_CHARS_MAX = 24;

/** `:line` or `:line:column` at the end. */
function trailingPosition(text: string): string {
  return /(?::\d{1,10}){1,2}$/.exec(text.slice(-POSITION_CHARS_MAX))?.[0] ?? '';
}
