import type { CaptureMatcher } from '@culprit/contract/capture';

/** Who sent what an event is about, as its user agent tells (docs/contract/ingestion.md 5.2). */
export interface ClientFact {
  kind: NonNullable<CaptureMatcher['client_kind']>;
  /** Of a bot, else null. */
  family: string | null;
}

/** By what the user agents of known bots are told, in lower case. */
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

/** Bots nobody listed that say what they are. */
export const OTHER_BOT_FAMILY = 'OtherBot';
const BOT_WORD = /\b(?:bot|crawler|spider|slurp)\b/i;

const UNKNOWN: ClientFact = { kind: 'unknown', family: null };
const HUMAN: ClientFact = { kind: 'human', family: null };

/** Whether a user agent is a person's or a bot's, and which bot's; null is no user agent. */
export function clientOf(userAgent: string | null): ClientFact {
  if (userAgent === null || userAgent.trim() === '') return UNKNOWN;
  const lower = userAgent.toLowerCase();
  const known = BOT_MARKS.find(([mark]) => lower.includes(mark));
  if (known !== undefined) return { kind: 'bot', family: known[1] };
  return BOT_WORD.test(userAgent) ? { kind: 'bot', family: OTHER_BOT_FAMILY } : HUMAN;
}
