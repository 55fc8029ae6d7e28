/** Marks of known bots in user agents, in lower case, where the name itself is none. */
const FAMILIES =
  'Googlebot Bingbot DuckDuckBot Applebot YandexBot Baiduspider FacebookBot LinkedInBot TwitterBot Slackbot';

/** Returns whether a user agent belongs to a person or a bot, and to which bot (docs/contract/ingestion.md 5.2). */
export function clientOf(userAgent: string | null): {
  kind: 'human' | 'bot' | 'unknown';
  family: string | null;
} {
  if (userAgent === null || userAgent.trim() === '') return { kind: 'unknown', family: null };
  const lower = userAgent.toLowerCase();
  const known =
    FAMILIES.split(' ').find((family) => lower.includes(family.toLowerCase())) ??
    (/facebookexternalhit|facebookcatalog/.test(lower) ? 'FacebookBot' : undefined);
  if (known !== undefined) return { kind: 'bot', family: known };
  return /\b(?:bot|crawler|spider|slurp)\b/i.test(userAgent)
    ? { kind: 'bot', family: 'OtherBot' }
    : { kind: 'human', family: null };
}
