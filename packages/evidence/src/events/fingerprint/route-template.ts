import type { HttpRequest } from '../normalize/event.ts';
import { readMarksAsNumbers } from '../redact/redact-values.ts';

const SEGMENTS_MAX = 12;
const PARAM = '{param}';

/**
 * Route template of a request: the given template in one notation, else the path with its values
 * replaced; null when the request names neither (contract incidents 5.4.4).
 */
export function requestRoute(request: Pick<HttpRequest, 'routeTemplate' | 'path' | 'url'>): string | null {
  if (isFilled(request.routeTemplate)) return givenRouteTemplate(request.routeTemplate);
  if (isFilled(request.path)) return pathRouteTemplate(request.path);
  return isFilled(request.url) ? pathRouteTemplate(request.url) : null;
}

/** Rule 1 of 5.4.4: parameter notations become `{param}`. */
export function givenRouteTemplate(template: string): string {
  // Parameters go first: `(?P<name>...)` and `{name?}` hold a question mark that is no query.
  const text = template
    .trim()
    .replace(/\(\?P<[^<>]*>(?:[^()]|\([^()]*\))*\)/g, PARAM)
    .replace(/\{(?:[^{}]|\{[^{}]*\})*\}/g, PARAM)
    .replace(/<[^<>]+>/g, PARAM)
    .replace(/\[(?:\.\.\.)?[A-Za-z_][\w-]*\]/g, PARAM)
    .replace(/[:*][A-Za-z_]\w*/g, PARAM);
  const path = withoutQuery(text);
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === 0x2f) end--;
  const bare = path.slice(0, end);
  return bare.startsWith('/') ? bare : `/${bare}`;
}

const VALUE_SEGMENTS = [
  /^\d+$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^(?=.*\d)[0-9a-f]{8,}$/i,
  /@/,
  /^[A-Za-z][A-Za-z0-9]{1,9}_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{6,}$/,
  /^[A-Za-z]{1,6}-\d{2,}$/,
  /^\d{4}-\d{2}-\d{2}/,
  /^(?=.*\d)(?=.*[A-Za-z])[\w~.-]{20,}$/,
  /^\d+(?:[.,:_-]\d+)+$/,
  /%[0-9a-f]{2}/i,
];

/** Rule 2 of 5.4.4, for a path or a full URL: at most 12 segments, values become `{param}`. */
export function pathRouteTemplate(pathOrUrl: string): string {
  const path = withoutQuery(
    readMarksAsNumbers(pathOrUrl)
      .trim()
      .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, ''),
  );
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '') continue;
    kept.push(VALUE_SEGMENTS.some((pattern) => pattern.test(segment)) ? PARAM : segment);
    if (kept.length === SEGMENTS_MAX) break;
  }
  return `/${kept.join('/')}`;
}

function withoutQuery(text: string): string {
  const end = text.search(/[?#]/);
  return end === -1 ? text : text.slice(0, end);
}

function isFilled(text: string | null): text is string {
  return text !== null && text.trim() !== '';
}
