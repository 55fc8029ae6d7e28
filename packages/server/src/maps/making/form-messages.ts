import type { Pair } from '@culprit/source-maps/check-pair';
import type { MadeForm } from '@culprit/source-maps/make-form';

/** A pair for the thread; the bytes are transferred, not copied. */
export interface FormTask extends Pick<Pair, 'path' | 'debugId'> {
  generated: Uint8Array<ArrayBuffer>;
  map: Uint8Array<ArrayBuffer>;
}

export type FormReport =
  | { kind: 'ready' }
  | { kind: 'judged'; made: MadeForm }
  | { kind: 'failed'; reason: string };
