import { problemText } from '../api/problem-words.ts';
import {
  findRemaining,
  holdChange,
  type Outcome,
  type StatusChange,
  sendHeld,
  undoHeld,
} from '../api/status-changes.ts';
import { codeOf } from '../api/transport.ts';
import { plural } from '../format/numbers.ts';
import { announce } from './announce.tsx';
import { dropToast, showToast } from './toasts.tsx';

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
    const ids = await findRemaining(change.ids).catch(() => change.ids);
    if (ids.length < change.ids.length) return offerRest(change, ids);
  }
  const verb = change.to === 'resolved' ? 'resolved' : 'reopened';
  showToast(`${plural(change.ids.length, 'incident')} not ${verb}. ${problemText(problem)}`, {
    lastsMs: null,
    action: { label: 'Try again', onChoose: () => changeStatus(change) },
  });
}

/** Nothing was changed, because some are gone: the same for the others, with their number. */
function offerRest({ ids: asked, ...rest }: StatusChange, ids: readonly string[]): void {
  const gone = asked.length - ids.length;
  const text = `Nothing was changed: ${plural(gone, 'incident')} of ${asked.length} ${gone === 1 ? 'is' : 'are'} gone.`;
  const label = `${rest.to === 'resolved' ? 'Resolve' : 'Reopen'} ${plural(ids.length, 'incident')}`;
  showToast(text, {
    lastsMs: ids.length === 0 ? UNDO_MS : null,
    ...(ids.length === 0 ? {} : { action: { label, onChoose: () => changeStatus({ ids, ...rest }) } }),
  });
}
