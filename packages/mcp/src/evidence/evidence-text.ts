import { type EvidenceRedaction, LEFT_OUT_KEYS } from '@culprit/evidence/bundles/sharing/redact-shared-text';
import { cutText, harmlessLine, harmlessLines } from '../text/harmless-text.ts';

/** Writes values of an event: without secrets, harmless, and no longer than an answer can bear. */
export interface EvidenceText {
  /** One line. */
  line(value: unknown, where?: 'end' | 'middle'): string;
  /** Several lines, each with its own limit. */
  lines(text: string): string[];
  /** Keys and values, without those that are left out of every answer. */
  entries(map: object): [string, unknown][];
  /** `key=value` pairs on one line. */
  pairs(map: object): string;
  redaction: EvidenceRedaction;
}

/** @param charactersMax of one value */
export function createEvidenceText(redaction: EvidenceRedaction, charactersMax: number): EvidenceText {
  // The part that is cut away is not scanned; a secret at the cut must be whole to be recognized.
  const scannedMax = charactersMax * 2 + 2000;
  /** Counts what is left out. */
  const isKept = (key: string, value: unknown) => {
    if (!LEFT_OUT_KEYS.has(key)) return true;
    redaction.leftOut('field', value === null || value === undefined ? 0 : 1);
    return false;
  };
  const kept = (key: string, value: unknown) => (isKept(key, value) ? value : undefined);
  const entries = (map: object): [string, unknown][] =>
    Object.entries(map).filter(([key, value]) => isKept(key, value));
  const clean = (value: unknown, where: 'end' | 'middle') => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value, kept) ?? 'null');
    return redaction.text(cutText(text, scannedMax, where));
  };
  const line = (value: unknown, where: 'end' | 'middle' = 'end') =>
    cutText(harmlessLine(clean(value, where)), charactersMax, where);
  return {
    redaction,
    line,
    lines: (text) =>
      harmlessLines(redaction.text(text))
        .filter((each) => each.trim() !== '')
        .map((each) => cutText(each, charactersMax)),
    entries,
    pairs: (map) =>
      entries(map)
        .map(([key, value]) => `${line(key)}=${line(value)}`)
        .join(' '),
  };
}
