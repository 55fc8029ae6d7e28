import { BULK_IDS_MAX } from '@culprit/contract/incidents/incidents';
import { useState } from 'react';
import type { StatusChange } from '../api/status-changes.ts';
import { fullCount } from '../format/numbers.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { changeStatus } from '../shell/triage/change-status.ts';

/** From here on a number is easily chosen by mistake. */
const ASK_FROM = 51;

/** Returns the reason why this many cannot change in one request; null if they can. */
export function refusalOfCount(count: number): string | null {
  return count > BULK_IDS_MAX ? `At most ${fullCount(BULK_IDS_MAX)} in one step` : null;
}

/** Changes incidents by button or key alike: a few immediately, many after a confirmation, too many not at all. */
export function useBulkChange(): {
  asking: StatusChange | null;
  request: (change: StatusChange) => void;
  answer: (isConfirmed: boolean) => void;
} {
  const [asking, setAsking] = useState<StatusChange | null>(null);
  return {
    asking,
    request(change) {
      const refusal = refusalOfCount(change.ids.length);
      if (refusal !== null) showToast(`${refusal}. Nothing was changed.`);
      else if (change.ids.length >= ASK_FROM) setAsking(change);
      else if (change.ids.length > 0) changeStatus(change);
    },
    answer(isConfirmed) {
      setAsking(null);
      if (isConfirmed && asking !== null) changeStatus(asking);
    },
  };
}
