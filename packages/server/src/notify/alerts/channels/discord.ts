import type { Severity } from '@culprit/evidence/events/normalize/event';
import { headerText } from '../../../platform/mail/mail.ts';
import {
  type AlertItems,
  capitalized,
  factPairs,
  incidentLink,
  isTest,
  labelsOf,
  numberBefore,
  rulesText,
} from '../alert-facts.ts';
import { fitted } from './fitted.ts';

/** Colours by severity, and Discord's limits (docs/contract/notifications.md 1.14). */
export const SEVERITY_COLORS: Readonly<Record<Severity, number>> = {
  critical: 14232864,
  high: 16224265,
  medium: 16625698,
  low: 6713477,
};
const TITLE_MAX = 256;
const DESCRIPTION_MAX = 2048;
const FIELD_MAX = 1024;
/** The limit of all texts of an embed together. */
const EMBED_MAX = 6000;

/**
 * The characters that Discord would interpret instead of showing them: emphasis, code, links with another text, quotes,
 * mentions.
 */
const MARKUP = '\\*_~`|[]<>#';

/** Returns one transition as Discord shows it: one embed that mentions no one. */
export function discordMessage(items: AlertItems, appUrl: string): object {
  const embed = fitted(
    (charactersMax) => embedOf(items, appUrl, charactersMax),
    (each) => lengthOf(each) <= EMBED_MAX,
  );
  return { content: '', allowed_mentions: { parse: [] }, embeds: [embed] };
}

function embedOf(items: AlertItems, appUrl: string, charactersMax: number) {
  const [{ facts }] = items;
  const { incident, projectName } = facts;
  const title = `${numberBefore(facts)}${capitalized(labelsOf(items))}: ${incident.title}`;
  const shown = (text: string, ownMax: number) => discordText(text, Math.min(ownMax, charactersMax));
  return {
    title: shown(title, TITLE_MAX),
    ...(isTest(facts) ? {} : { url: incidentLink(facts, appUrl) }),
    description: shown(incident.description, DESCRIPTION_MAX),
    color: SEVERITY_COLORS[incident.severity],
    timestamp: facts.triggeredAt,
    fields: factPairs(facts).map(([name, value]) => ({ name, value: shown(value, FIELD_MAX), inline: true })),
    footer: { text: headerText(`${projectName}, ${rulesText(items)}`, charactersMax) },
  };
}

function lengthOf({ title, description, fields, footer }: ReturnType<typeof embedOf>): number {
  const texts = [title, description, footer.text, ...fields.flatMap(({ name, value }) => [name, value])];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Text on one line with its markup escaped, at most so many characters with a final `…`; no escape is cut in two. */
function discordText(text: string, lengthMax: number): string {
  let escaped = '';
  let fitting = '';
  for (const character of headerText(text, lengthMax)) {
    escaped += MARKUP.includes(character) ? `\\${character}` : character;
    if (escaped.length > lengthMax) return `${fitting}…`;
    if (escaped.length < lengthMax) fitting = escaped;
  }
  return escaped;
}
