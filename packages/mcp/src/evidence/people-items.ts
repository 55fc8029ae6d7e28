import type { TagValue } from '@culprit/contract/incidents/incident-tags';
import type { EvidenceText } from './evidence-text.ts';
import type { Evidence, Item } from './item.ts';

/** Values of one tag that an answer shows. */
const VALUES_MAX = 5;

/** Tags with their shares, the most telling first. */
export function tagItems({ tags = [] }: Evidence, text: EvidenceText): Item[] {
  return tags.map(({ key, top }) => [
    `${text.line(key)}: ${top
      .slice(0, VALUES_MAX)
      .map((each) => valueWords(each, text))
      .join(', ')}`,
  ]);
}

function valueWords({ value, share, lift }: TagValue, text: EvidenceText): string {
  const usual = lift === null || lift < 1.5 ? '' : ` (${lift.toFixed(1)} times its usual share)`;
  return `${text.line(value)} ${Math.round(share * 100)} %${usual}`;
}

/** Notes that people wrote, the latest first. They are as hostile as events. */
export function noteItems({ notes = [] }: Evidence, text: EvidenceText): Item[] {
  return notes
    .filter(({ body }) => body !== null)
    .toReversed()
    .map(({ author, via, created_at: at, body }) => [
      `note by ${text.line(author?.name ?? 'no one here')} via ${text.line(via)} at ${at}`,
      ...text.lines(body ?? '').map((line) => `  ${line}`),
    ]);
}
