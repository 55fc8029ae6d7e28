import { givenRouteTemplate } from '@culprit/evidence/events/fingerprint/route-template';
import type { FactKind } from '@culprit/evidence/incidents/search-document';

/** The search for a value with wildcards (docs/contract/team-workflow.md 1.1). */

/** A fact that the index holds. */
export interface FactBeginning {
  kind: FactKind;
  value: string;
  /** Whatever begins so. */
  isPrefix: boolean;
}

interface GlobSearch {
  /** One of these must be there; empty: the index has none of them. */
  facts: readonly FactBeginning[];
  /** A regular expression that one of the stored texts must fit, empty for any; null where the facts say all. */
  pattern: string | null;
}

type GlobKey = 'type' | 'file' | 'function' | 'route';

/** The places in which a text may start after other parts of it, as a regular expression. */
const START: Readonly<Record<GlobKey, string>> = {
  type: '(^|[^[:alnum:]])',
  file: '(^|[/\\\\])',
  function: '(^|[^[:alnum:]_$])',
  route: '^',
};

const METHOD = /^[A-Z]{3,10} +(?=\/)/;

/** Returns the search for a value of a key; a quoted one has no wildcard. */
export function globSearch(key: GlobKey, text: string, isQuoted: boolean): GlobSearch {
  if (key === 'type' && isQuoted)
    return { facts: [{ kind: 'whole_type', value: text, isPrefix: false }], pattern: null };
  const hasStar = !isQuoted && text.includes('*');
  const written = key === 'route' ? routeOf(text, hasStar) : text;
  const value = written.toLowerCase();
  if (!hasStar) {
    const facts: FactBeginning[] = [{ kind: key, value, isPrefix: key === 'type' }];
    // A folder holds its files.
    if (key === 'file') facts.push({ kind: 'file', value: `${value.replace(/\/$/, '')}/`, isPrefix: true });
    return { facts, pattern: key === 'route' ? `^${escaped(value)}$` : null };
  }
  // The index has each text from where a segment or a name begins, so a beginning needs no second look.
  const isBeginning =
    key === 'file' ? /^[^*]+\*\*$/.test(value) : key === 'function' && /^[^*]+\*+$/.test(value);
  const pattern = /^\*+$/.test(value) ? '' : patternOf(key, value);
  return { facts: indexed(key, written, value), pattern: isBeginning ? null : pattern };
}

function routeOf(text: string, hasStar: boolean): string {
  const path = text.replace(METHOD, '');
  return hasStar ? path : givenRouteTemplate(path);
}

/**
 * Returns the part of a value with wildcards that the index can check: the part before the first of them, or the one
 * after.
 */
function indexed(key: GlobKey, written: string, value: string): FactBeginning[] {
  const start = key === 'file' ? value.replace(/^(?:\*+\/)+/, '') : value;
  const star = start.indexOf('*');
  if (star === -1) return [{ kind: key, value: start, isPrefix: false }];
  const head = start.slice(0, star);
  if (head !== '') return [{ kind: key, value: head, isPrefix: true }];
  const tail = start.replace(/^\*+/, '');
  if (key === 'file') {
    const extension = /\.([a-z0-9]{1,12})$/.exec(start)?.[1];
    return extension === undefined ? [] : [{ kind: 'extension', value: extension, isPrefix: false }];
  }
  // A word in the middle of a name begins in upper case.
  const isWord = key === 'type' && /^\**\p{Lu}/u.test(written) && !tail.includes('*');
  return isWord ? [{ kind: key, value: tail, isPrefix: false }] : [];
}

function patternOf(key: GlobKey, value: string): string {
  const parts = value.split(/(\*+)/);
  const body = parts.map((part) => {
    if (!part.startsWith('*')) return escaped(part);
    return key === 'file' && part.length === 1 ? '[^/\\\\]*' : '.*';
  });
  // Any text can precede a wildcard.
  return `${value.startsWith('*') ? '' : START[key]}${body.join('')}$`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
