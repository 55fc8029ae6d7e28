import { problemText } from '../../api/problem-words.ts';
import { holdChange, type Outcome, type StatusChange, sendHeld, undoHeld } from '../../api/status-changes.ts';
import { codeOf } from '../../api/transport.ts';
import { plural } from '../../format/numbers.ts';
import { announce } from '../parts/announce.tsx';
import { dropToast, showToast } from '../parts/toasts.tsx';

const UNDO_MS = 5000;
const VERBS = { resolved: 'Resolved', open: 'Reopened' } as const;

let undoToast: number | null = null;
let offered: (() => void) | null = null;

/** Makes the key of undo take another change back. */
export function offerUndo(run: () => void): void {
  offered = run;
}

/** Ends the offer, unless another one took its place. */
export function withdrawUndo(run: () => void): void {
  if (offered === run) offered = null;
}

/** Resolves or reopens with a way back for a few seconds. */
export function changeStatus(change: StatusChange): void {
  if (undoToast !== null) dropToast(undoToast);
  const text = `${VERBS[change.to]} ${plural(change.ids.length, 'incident')}${change.words ?? ''}`;
  holdChange(change, (outcome) => void tellFailure(outcome));
  undoToast = showToast(text, {
    lastsMs: UNDO_MS,
    action: { label: 'Undo', keys: 'Z', onChoose: undo },
    onGone: () => {
      undoToast = null;
      sendHeld();
    },
  });
}

/** Takes the last change back, while that is offered. */
export function undo(): void {
  if (!undoHeld()) {
    offered?.();
    return;
  }
  if (undoToast !== null) dropToast(undoToast);
  announce('Undone. Nothing was sent.');
}

async function tellFailure({ problem, change }: Outcome): Promise<void> {
  if (problem === null) return;
  if (codeOf(problem) === 'incident_not_found' && change.ids.length > 1) {
    const isOffered = await import('../parts/offer-rest.ts')
      .then(({ offerRest }) => offerRest(change, changeStatus))
      .catch(() => false);
    if (isOffered) return;
  }
  const verb = VERBS[change.to].toLowerCase();
  showToast(`${plural(change.ids.length, 'incident')} not ${verb}. ${problemText(problem)}`, {
    lastsMs: null,
    action: { label: 'Try again', onChoose: () => changeStatus(change) },
  });
}
