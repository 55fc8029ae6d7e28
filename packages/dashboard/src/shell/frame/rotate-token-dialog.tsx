import { ROTATION_OVERLAP_HOURS } from '@culprit/contract/workspace/tokens';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { Actions, Dialog } from '../../ui/layers/dialog.tsx';

/** A token that is being replaced: what the dialog names, and the call. */
interface Rotated {
  token_id: string;
  label: string;
}

const OVERLAPS = [
  [0, 'Revoked immediately'],
  [1, 'Works for 1 hour'],
  [ROTATION_OVERLAP_HOURS, 'Works for 24 hours'],
  [7 * 24, 'Works for 7 days'],
  [30 * 24, 'Works for 30 days'],
] as const;

/** Replaces a token by a new one with the same settings, and asks how long the old one still works. */
export function RotateTokenDialog({
  token,
  rotate,
  onClose,
  onRotated,
}: {
  token: Rotated | null;
  rotate: (tokenId: string, overlapHours: number) => Promise<string>;
  onClose: () => void;
  /** Takes the new token in full, which is kept nowhere. */
  onRotated: (plaintext: string) => void;
}) {
  return (
    <Dialog title={`Rotate ${token?.label ?? ''}?`} isOpen={token !== null} onClose={onClose}>
      {token !== null && <RotateForm token={token} rotate={rotate} onClose={onClose} onRotated={onRotated} />}
    </Dialog>
  );
}

function RotateForm({
  token,
  rotate,
  onClose,
  onRotated,
}: {
  token: Rotated;
  rotate: (tokenId: string, overlapHours: number) => Promise<string>;
  onClose: () => void;
  onRotated: (plaintext: string) => void;
}) {
  const [hours, setHours] = useState<number>(ROTATION_OVERLAP_HOURS);
  const rotation = useMutation({
    mutationFn: () => rotate(token.token_id, hours),
    onSuccess: (plaintext) => {
      onClose();
      onRotated(plaintext);
    },
  });
  return (
    <>
      <SelectField
        label="Old token"
        value={hours}
        onChange={(event) => setHours(Number(event.target.value))}
        error={rotation.isError ? problemText(rotation.error) : null}
        hint="The new token has the same label and scope."
      >
        {OVERLAPS.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </SelectField>
      <Actions>
        <Button kind="primary" isBusy={rotation.isPending} onClick={() => rotation.mutate()}>
          Rotate token
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </>
  );
}
