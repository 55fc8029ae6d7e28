import type { FateCounts, FateWord } from '@culprit/contract/events/event-fates';
import type { PathName } from '../paths.ts';

/** The group of an event's outcome: kept, filtered, rejected or failed, or waiting. */
export type FateGroup = 'kept' | 'left-out' | 'lost' | 'waiting';

interface Fate {
  word: Exclude<FateWord, 'submitted'>;
  group: FateGroup;
  label: string;
  /** The meaning, in a sentence. */
  meaning: string;
  /** The remedy if that is not intended; null if there is none. */
  todo: string | null;
  /** The screen where it is decided. */
  decidedAt: { to: PathName; label: string } | null;
}

/** The outcomes in the order in which the sum is written. Exactly one is true of each event. */
const FATES: readonly Fate[] = [
  {
    word: 'processed',
    group: 'kept',
    label: 'processed',
    meaning: 'It is part of incidents, logs and context.',
    todo: null,
    decidedAt: null,
  },
  {
    word: 'demoted',
    group: 'kept',
    label: 'kept without incident',
    meaning: 'A filter keeps it as context without an incident.',
    todo: 'Change the filter if these should be incidents.',
    decidedAt: { to: 'capture', label: 'Event filters' },
  },
  {
    word: 'duplicate',
    group: 'left-out',
    label: 'duplicates',
    meaning: 'The same event was sent again. It is counted once.',
    todo: null,
    decidedAt: null,
  },
  {
    word: 'dropped',
    group: 'left-out',
    label: 'discarded',
    meaning: 'A filter discards it.',
    todo: 'Change the filter if you need these events. The list below names it.',
    decidedAt: { to: 'capture', label: 'Event filters' },
  },
  {
    word: 'sampled_out',
    group: 'left-out',
    label: 'sampled out',
    meaning: 'A filter keeps a sample, and this event was not in it.',
    todo: 'Raise the sample rate of the filter if too few events are kept.',
    decidedAt: { to: 'capture', label: 'Event filters' },
  },
  {
    word: 'refused_by_policy',
    group: 'left-out',
    label: 'outside the preset',
    meaning: 'The preset does not accept this kind of event.',
    todo: 'Choose a wider preset if you need these events.',
    decidedAt: { to: 'capture', label: 'Event filters' },
  },
  {
    word: 'rate_limited',
    group: 'lost',
    label: 'rate limited',
    meaning: 'The token sent too many events in a minute. Libraries retry these.',
    todo: 'If it continues, send fewer events or spread the load over several tokens.',
    decidedAt: { to: 'tokens', label: 'Tokens' },
  },
  {
    word: 'invalid',
    group: 'lost',
    label: 'invalid',
    meaning: 'It was malformed. See "Rejected events" for the field.',
    todo: 'Update the library that sent it.',
    decidedAt: { to: 'tokens', label: 'Tokens' },
  },
  {
    word: 'dead_letter',
    group: 'lost',
    label: 'not processable',
    meaning: 'Processing failed repeatedly. It is kept and can be retried.',
    todo: 'Ask the operator of this server, who can see the reason.',
    decidedAt: null,
  },
  {
    word: 'waiting',
    group: 'waiting',
    label: 'waiting',
    meaning: 'Accepted. It is processed within moments.',
    todo: 'If this continues, the worker is late. Ask the operator of this server.',
    decidedAt: null,
  },
];

/** Returns the number of events of a group. */
export function sumOf(counts: FateCounts, group: FateGroup): number {
  return FATES.filter((fate) => fate.group === group).reduce((sum, { word }) => sum + counts[word], 0);
}

/** Returns the outcomes that any event had, for the sum that explains `submitted`. */
export function partsOf(counts: FateCounts): { fate: Fate; events: number }[] {
  return FATES.flatMap((fate) => {
    const events = counts[fate.word];
    return events === 0 ? [] : [{ fate, events }];
  });
}
