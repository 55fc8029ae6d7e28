import type { TopFrame } from '@culprit/contract/incidents/incident-activity';
import type { SimilarityReason } from '@culprit/contract/incidents/incident-similar';
import { messageTemplate } from '@culprit/evidence/events/fingerprint/template/message-template';

/** The facts by which two incidents are compared. */
export interface Likeness {
  title: string;
  topFrame: TopFrame | null;
  firstSeenAtMs: number;
  /** The text by which the client grouped its events. */
  clientGrouping: string | null;
}

interface Similarity {
  reasons: SimilarityReason[];
  /** From 0 to 1. */
  score: number;
}

const HUNDREDTHS: Readonly<Record<SimilarityReason, number>> = {
  same_frame: 50,
  same_client_fingerprint: 50,
  same_message: 40,
  same_file: 20,
  same_error_type: 20,
  same_time: 10,
};
const SAME_TIME_MS = 10 * 60_000;
/** Less than this says nothing: an error type alone is shared by too many. */
const HUNDREDTHS_MIN = 30;

/** Returns how much two incidents are alike; null when it is not enough to name. */
export function similarityOf(one: Likeness, other: Likeness): Similarity | null {
  const reasons: SimilarityReason[] = [];
  const [a, b] = [partsOf(one.title), partsOf(other.title)];
  const file = one.topFrame?.file ?? null;
  const isSameFile = file !== null && file === other.topFrame?.file;
  if (isSameFile && one.topFrame?.function === other.topFrame?.function) reasons.push('same_frame');
  if (one.clientGrouping !== null && one.clientGrouping === other.clientGrouping) {
    reasons.push('same_client_fingerprint');
  }
  if (a.type === b.type && templateOf(a) === templateOf(b)) reasons.push('same_message');
  if (isSameFile && !reasons.includes('same_frame')) reasons.push('same_file');
  if (a.type !== '' && a.type === b.type && !reasons.includes('same_message')) {
    reasons.push('same_error_type');
  }
  if (Math.abs(one.firstSeenAtMs - other.firstSeenAtMs) <= SAME_TIME_MS) reasons.push('same_time');
  const hundredths = reasons.reduce((sum, reason) => sum + HUNDREDTHS[reason], 0);
  return hundredths < HUNDREDTHS_MIN ? null : { reasons, score: Math.min(hundredths, 100) / 100 };
}

/** Titles of exceptions are the type and the message. */
function partsOf(title: string): { type: string; message: string } {
  const end = title.indexOf(': ');
  return end === -1
    ? { type: '', message: title }
    : { type: title.slice(0, end), message: title.slice(end + 2) };
}

function templateOf({ type, message }: { type: string; message: string }): string {
  return messageTemplate(message, type);
}
