import type { CaptureMatcher } from '@culprit/contract/capture/capture';

/** The kind of client that an event is about, according to its user agent (docs/contract/ingestion.md 5.2). */
export interface ClientFact {
  kind: NonNullable<CaptureMatcher['client_kind']>;
  /** The family of a bot, else null. */
  family: string | null;
}

/** The marks in the user agents of known bots, in lower case. */
const BOT_MARKS: readonly (readonly [mark: string, family: string])[] = [
  ['googlebot', 'Googlebot'],
  ['bingbot', 'Bingbot'],
  ['duckduckbot', 'DuckDuckBot'],
  ['applebot', 'Applebot'],
  ['yandexbot', 'YandexBot'],
  ['baiduspider', 'Baiduspider'],
  ['facebookbot', 'FacebookBot'],
  ['facebookexternalhit', 'FacebookBot'],
  ['facebookcatalog', 'FacebookBot'],
  ['linkedinbot', 'LinkedInBot'],
  ['twitterbot', 'TwitterBot'],
  ['slackbot', 'Slackbot'],
];

/** The family of unlisted bots that identify themselves as bots. */
export const OTHER_BOT_FAMILY = 'OtherBot';
const BOT_WORD = /\b(?:bot|crawler|spider|slurp)\b/i;

const UNKNOWN: ClientFact = { kind: 'unknown', family: null };
const HUMAN: ClientFact = { kind: 'human', family: null };

/** Returns whether a user agent belongs to a person or a bot, and to which bot; null is no user agent. */
export function clientOf(userAgent: string | null): ClientFact {
  if (userAgent === null || userAgent.trim() === '') return UNKNOWN;
  const lower = userAgent.toLowerCase();
  const known = BOT_MARKS.find(([mark]) => lower.includes(mark));
  if (known !== undefined) return { kind: 'bot', family: known[1] };
  return BOT_WORD.test(userAgent) ? { kind: 'bot', family: OTHER_BOT_FAMILY } : HUMAN;
}
