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

/**
 * The characters that Discord would interpret instead of showing them: emphasis, code, links with another text, quotes,
 * mentions.
 */
const MARKUP = '\\*_~`|[]<>#';

/** Returns one transition as Discord shows it: one embed that mentions no one. */
export function discordMessage(items: AlertItems, appUrl: string): object {
  const [{ facts }] = items;
  const { incident, projectName } = facts;
  const title = `${numberBefore(facts)}${capitalized(labelsOf(items))}: ${incident.title}`;
  return {
    content: '',
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: discordText(title, TITLE_MAX),
        ...(isTest(facts) ? {} : { url: incidentLink(facts, appUrl) }),
        description: discordText(incident.description, DESCRIPTION_MAX),
        color: SEVERITY_COLORS[incident.severity],
        timestamp: facts.triggeredAt,
        fields: factPairs(facts).map(([name, value]) => field(name, value)),
        footer: { text: headerText(`${projectName}, ${rulesText(items)}`, DESCRIPTION_MAX) },
      },
    ],
  };
}

function field(name: string, value: string): { name: string; value: string; inline: boolean } {
  return { name, value: discordText(value, FIELD_MAX), inline: true };
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
