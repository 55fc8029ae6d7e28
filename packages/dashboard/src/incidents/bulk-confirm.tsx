import type { StatusChange } from '../api/status-changes.ts';
import { plural } from '../format/numbers.ts';
import { ConfirmDialog } from '../ui/layers/dialog.tsx';

/** Asks for confirmation before many rows change together. */
export function BulkConfirm({
  change: { ids, to },
  onAnswer,
}: {
  change: StatusChange;
  onAnswer: (isConfirmed: boolean) => void;
}) {
  const words = `${to === 'open' ? 'Reopen' : 'Resolve'} ${plural(ids.length, 'incident')}`;
  return (
    <ConfirmDialog
      title={`${words}?`}
      verb={words}
      isReversible
      isOpen
      onClose={() => onAnswer(false)}
      onConfirm={() => onAnswer(true)}
    >
      <p>Only the {ids.length} selected incidents will change. You can undo this for 5 seconds.</p>
    </ConfirmDialog>
  );
}
