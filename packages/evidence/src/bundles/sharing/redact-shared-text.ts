import { holdsSecret } from '@culprit/contract/events/secret-keys';
import { redactPairs } from '@culprit/contract/events/secret-texts';
import { redactTokens } from '@culprit/contract/events/secret-tokens';

/** The kind of content that was removed from an answer. */
export type RemovedKind = 'secret' | 'email' | 'ip' | 'iban' | 'phone' | 'header' | 'field';
export type RemovedCounts = Partial<Record<RemovedKind, number>>;

/** Removes what an agent does not need to find a cause; on top of what the server removed before it stored the event. */
export interface EvidenceRedaction {
  text(text: string): string;
  /** Counts what was left out as a whole. */
  leftOut(kind: 'header' | 'field', count: number): void;
  readonly removed: RemovedCounts;
}

interface Rule {
  kind: Exclude<RemovedKind, 'header' | 'field'>;
  pattern: RegExp;
  /** False for a match that is something else. */
  isMeant?: (match: string) => boolean;
  /** Returns the part of the match that stays before the mark. */
  keep?: (match: string) => string;
}

/** The headers that help to find a cause; for the others an answer contains only their number. */
export const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'accept',
  'x-request-id',
  'x-service-trace-id',
]);
/** The keys whose values name people, machines and pages, at any place. */
export const LEFT_OUT_KEYS: ReadonlySet<string> = new Set([
  'user_id_hash',
  'hostname',
  'host',
  'cwd',
  'pid',
  'dom_context',
  'container_id',
]);

const SECRET = '[secret]';

/** In this order: what contains others comes first (docs/contract/command-line.md 5.7). */
const RULES: readonly Rule[] = [
  {
    kind: 'secret',
    pattern: /-----BEGIN [A-Z ]{1,40}-----[\s\S]{0,20000}?(?:-----END [A-Z ]{1,40}-----|$)/g,
  },
  { kind: 'secret', pattern: /\bsvc_[a-z]{2,12}_[A-Za-z0-9_-]{8,}/g },
  {
    kind: 'secret',
    pattern: /\b(?:Bearer|Basic) {1,4}[A-Za-z0-9._~+/=-]{8,}/gi,
    keep: (match) => `${match.split(' ')[0]} `,
  },
  { kind: 'secret', pattern: /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g },
  { kind: 'secret', pattern: /:\/\/[^\s/@:?#]{1,200}:[^\s/@?#]{1,200}@/g, keep: () => '://' },
  // The last part begins with a letter: releases such as `shop@1.9.0` are no addresses.
  {
    kind: 'email',
    pattern:
      /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,5}\.[A-Za-z][A-Za-z0-9-]{1,62}/g,
  },
  { kind: 'ip', pattern: /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\w)/g, isMeant: isPublicIpv4 },
  {
    kind: 'ip',
    pattern: /(?<![\w:])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{1,4}|(?<=::))(?!\w|:[\w:])/g,
    isMeant: isPublicIpv6,
  },
  { kind: 'iban', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g, isMeant: isIban },
  {
    kind: 'phone',
    pattern: /(?<![\w.+])\+\d{1,3}(?:[ .-]?\(?\d{1,4}\)?){2,6}(?!\w)/g,
    isMeant: (match) => match.replace(/\D/g, '').length >= 8,
  },
];

/** Counts over everything that one answer shows. */
export function createEvidenceRedaction(): EvidenceRedaction {
  const removed: RemovedCounts = {};
  const count = (kind: RemovedKind, more: number) => {
    if (more > 0) removed[kind] = (removed[kind] ?? 0) + more;
  };
  return {
    removed,
    leftOut: count,
    text(text) {
      let left = redactPairs(text, holdsSecret, SECRET);
      count('secret', left.split(SECRET).length - text.split(SECRET).length);
      left = redactTokens(left, SECRET, () => count('secret', 1));
      for (const { kind, pattern, isMeant, keep } of RULES) {
        left = left.replace(pattern, (match) => {
          if (isMeant !== undefined && !isMeant(match)) return match;
          count(kind, 1);
          return `${keep === undefined ? '' : keep(match)}[${kind}]`;
        });
      }
      return left.replace(ABSOLUTE_PATH, shortPath);
    },
  };
}

/** Paths of files below the directories in which programs are found; those of requests look different. */
const ABSOLUTE_PATH =
  /(?:file:\/\/)?(?:\/(?:home|Users|root|usr|var|srv|opt|app|tmp|workspace|builds?|data|mnt|code)|[A-Za-z]:)(?:[/\\][\w.@+~-]{1,200}){1,40}/g;
const CODE_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'src', 'app', 'lib', 'dist']);
const SEGMENTS_MAX = 3;

/**
 * Returns the part of a path that still names the file in a checkout: the part below the last folder of code, or its
 * last segments.
 */
function shortPath(path: string): string {
  const parts = path
    .replace(/^file:\/\//, '')
    .split(/[/\\]/)
    .filter((part) => part !== '');
  const folder = parts.findLastIndex((part, place) => CODE_FOLDERS.has(part) && place < parts.length - 1);
  return (folder < 0 ? parts.slice(-SEGMENTS_MAX) : parts.slice(folder + 1)).join('/');
}

function isPublicIpv4(text: string): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  if ([a, b, c, d].some((part) => part > 255)) return false;
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  return !((a === 169 && b === 254) || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168));
}

function isPublicIpv6(text: string): boolean {
  // The parser of addresses that every runtime has, browsers too.
  return URL.canParse(`http://[${text}]`) && !/^(?:::1?$|f[cd]|fe[89ab])/i.test(text);
}

/** By its check digits (ISO 13616). */
function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '');
  if (plain.length < 15 || plain.length > 34) return false;
  let rest = 0;
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
