import { type EventReading, readEvent } from './event-reading.ts';
import { frameText } from './judge-cases.ts';
import type { FolderEvent } from './read-folder.ts';

/** One event of a folder and how it is read. */
export interface Row {
  name: string;
  truth: string | null;
  reading: EventReading;
  /** First characters of its key. */
  key: string;
  frame: string;
  /** A text of several lines in which nothing is a frame. */
  isUnread: boolean;
}

export interface Survey {
  rows: Row[];
  /** Events of a type that is never grouped. */
  ungrouped: string[];
  unread: Row[];
  /** Keys that hold more than one truth. */
  fused: { key: string; truths: string[] }[];
  /** Truths that have more than one key. */
  split: { truth: string; keys: string[] }[];
  keyCount: number;
}

const KEY_CHARS = 8;

/** Reads every event as the product does and compares the keys with what the folder says. */
export function survey(events: readonly FolderEvent[]): Survey {
  const rows: Row[] = [];
  const ungrouped: string[] = [];
  for (const { name, truth, eventType, payload, service } of events) {
    const reading = readEvent(eventType, payload, service);
    if (reading === null) {
      ungrouped.push(name);
      continue;
    }
    const isUnread = reading.reader === '-' && reading.lineCount > 2;
    const key = reading.key.slice(0, KEY_CHARS);
    rows.push({ name, truth, reading, key, frame: frameText(reading.frame), isUnread });
  }
  const told = rows.flatMap(({ truth, key }) => (truth === null ? [] : [{ truth, key }]));
  const byKey = Map.groupBy(told, ({ key }) => key);
  const byTruth = Map.groupBy(told, ({ truth }) => truth);
  return {
    rows,
    ungrouped,
    unread: rows.filter((row) => row.isUnread),
    fused: [...byKey]
      .map(([key, all]) => ({ key, truths: [...new Set(all.map(({ truth }) => truth))] }))
      .filter(({ truths }) => truths.length > 1),
    split: [...byTruth]
      .map(([truth, all]) => ({ truth, keys: [...new Set(all.map(({ key }) => key))] }))
      .filter(({ keys }) => keys.length > 1),
    keyCount: new Set(rows.map(({ key }) => key)).size,
  };
}
