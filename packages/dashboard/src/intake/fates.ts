import type { FateCounts, FateWord } from '@culprit/contract/event-fates';
import type { PathName } from '../paths.ts';

/** Why an event is where it is: kept, left out because somebody wanted that, refused or stuck, or on its way. */
export type FateGroup = 'kept' | 'left-out' | 'lost' | 'waiting';

export interface Fate {
  word: Exclude<FateWord, 'submitted'>;
  group: FateGroup;
  label: string;
  /** What it means, in a sentence. */
  meaning: string;
  /** What to do where that is not wanted; null where nothing is. */
  todo: string | null;
  /** The screen where it is decided. */
  decidedAt: { to: PathName; label: string } | null;
}

/** Every fate, in the order in which the sum is written. Exactly one is true of each event. */
export const FATES: readonly Fate[] = [
  {
    word: 'processed',
    group: 'kept',
    label: 'processed',
    meaning: 'Part of incidents, logs and context.',
    todo: null,
    decidedAt: null,
  },
  {
    word: 'demoted',
    group: 'kept',
    label: 'demoted',
    meaning: 'A capture rule keeps it as context; it opens no incident.',
    todo: 'Change the rule, if these should be incidents.',
    decidedAt: { to: 'capture', label: 'Capture rules' },
  },
  {
    word: 'duplicate',
    group: 'left-out',
    label: 'duplicates',
    meaning: 'The same event came again, and is counted once.',
    todo: null,
    decidedAt: null,
  },
  {
    word: 'dropped',
    group: 'left-out',
    label: 'dropped',
    meaning: 'A capture rule drops it.',
    todo: 'Change the rule, if these are missed. The list below says which.',
    decidedAt: { to: 'capture', label: 'Capture rules' },
  },
  {
    word: 'sampled_out',
    group: 'left-out',
    label: 'sampled out',
    meaning: 'A capture rule keeps a share, and this was not in it.',
    todo: 'Raise the share of the rule, if too little is left.',
    decidedAt: { to: 'capture', label: 'Capture rules' },
  },
  {
    word: 'refused_by_policy',
    group: 'left-out',
    label: 'refused by policy',
    meaning: 'The capture policy does not take this kind of event.',
    todo: 'Choose a wider preset, if these are missed.',
    decidedAt: { to: 'capture', label: 'Capture policy' },
  },
  {
    word: 'rate_limited',
    group: 'lost',
    label: 'rate limited',
    meaning: 'More came within a minute than a token may send. Libraries send these again.',
    todo: 'If it goes on: send less, or spread the load over several tokens.',
    decidedAt: { to: 'tokens', label: 'Tokens' },
  },
  {
    word: 'invalid',
    group: 'lost',
    label: 'invalid',
    meaning: 'It was malformed. The answer to the sender names the field.',
    todo: 'Update the library that sent it, or read the reason in the log of the sender.',
    decidedAt: { to: 'tokens', label: 'Tokens' },
  },
  {
    word: 'dead_letter',
    group: 'lost',
    label: 'not processable',
    meaning: 'Processing failed again and again. It is kept, and can be tried again.',
    todo: 'Tell the operator of this server, who sees the reason.',
    decidedAt: null,
  },
  {
    word: 'waiting',
    group: 'waiting',
    label: 'waiting',
    meaning: 'Accepted, and processed within moments.',
    todo: 'If it stays: the worker is behind. Tell the operator of this server.',
    decidedAt: null,
  },
];

/** How many events of a group there are. */
export function sumOf(counts: FateCounts, group: FateGroup): number {
  return FATES.filter((fate) => fate.group === group).reduce((sum, { word }) => sum + counts[word], 0);
}

/** The fates that any event had, for the sum that explains `submitted`. */
export function partsOf(counts: FateCounts): { fate: Fate; events: number }[] {
  return FATES.flatMap((fate) => {
    const events = counts[fate.word];
    return events === 0 ? [] : [{ fate, events }];
  });
}
