import type { CaptureMatcher, CaptureRuleAction } from '@culprit/contract/capture/capture';
import { visibleLine } from '../format/event-text.ts';
import { percent } from '../format/numbers.ts';
import type { Sentence } from '../ui/sentence.tsx';
import { type Condition, conditionsOf, factOf, listIn, TYPE_WORDS } from './rule-conditions.ts';

type Part = Sentence[number];

/** Says what a rule does with the events that it is about (docs/contract/ingestion.md 5.3). */
export function ruleSentence({
  action,
  matcher,
  sampleRate,
  sampleEventClass,
  until,
}: {
  action: CaptureRuleAction;
  matcher: CaptureMatcher;
  sampleRate: number | null;
  sampleEventClass: 'preserve' | 'context' | null;
  /** The day after which it ends; null never. */
  until: string | null;
}): Sentence {
  const events = eventsOf(conditionsOf(matcher));
  const end: Part[] = until === null ? ['.'] : [', until ', { chosen: until }, '.'];
  switch (action) {
    case 'drop':
      return [{ chosen: 'Discards' }, ' ', ...events, ...end];
    case 'demote':
      return [
        { chosen: 'Keeps' },
        ' ',
        ...events,
        ', but ',
        { chosen: 'opens no incident' },
        ' with them',
        ...end,
      ];
    case 'sample':
      return [
        { chosen: `Keeps ${percent(sampleRate ?? 0)}` },
        ' of ',
        ...events,
        ', ',
        ...(sampleEventClass === 'context' ? [{ chosen: 'opens no incident' }, ' with them '] : []),
        'and discards the rest',
        ...end,
      ];
    default:
      return [`${String(action)} `, ...events, ...end];
  }
}

/** "log lines of shop, whose message contains x". */
function eventsOf(conditions: readonly Condition[]): Part[] {
  const types = conditions.find(({ fact }) => fact === 'event_types');
  const others = conditions.filter(({ fact }) => fact !== 'event_types');
  const subject: Part = types === undefined ? 'events' : { chosen: wordsOf(types).join(' or ') };
  return [
    subject,
    ...others.flatMap((condition, index): Part[] => [
      `${index === 0 ? ' ' : ', '}${factOf(condition.fact).phrase} `,
      { chosen: wordsOf(condition).join(' or ') },
    ]),
  ];
}

function wordsOf({ fact, value }: Condition): string[] {
  const { choices, isList } = factOf(fact);
  const items = isList === true ? listIn(value) : [value];
  const words: Readonly<Record<string, string>> = fact === 'event_types' ? TYPE_WORDS : (choices ?? {});
  return items.map((item) => (Object.hasOwn(words, item) ? (words[item] ?? item) : visibleLine(item)));
}
