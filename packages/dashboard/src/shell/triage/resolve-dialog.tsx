import { RELEASE_CHARS_MAX } from '@culprit/contract/releases/map-limits';
import { useState } from 'react';
import type { ResolvedChange } from '../../api/status-changes.ts';
import { visibleLine } from '../../format/event-text.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { Actions, Dialog } from '../../ui/layers/dialog.tsx';

/** Asks in which release something is resolved. */
export function ResolveDialog({
  onResolve,
  onClose,
}: {
  onResolve: (change: ResolvedChange) => void;
  onClose: () => void;
}) {
  const [version, setVersion] = useState('');
  const named = version.trim();
  return (
    <Dialog title="Resolve in a release" isOpen onClose={onClose}>
      <TextField
        label="Version"
        maxLength={RELEASE_CHARS_MAX}
        value={version}
        onChange={({ target }) => setVersion(target.value)}
        hint="Events of earlier releases do not reopen it. The release does not have to exist yet."
      />
      <Actions>
        <Button
          kind="primary"
          refusal={named === '' ? 'Enter a version' : null}
          onClick={() => {
            onResolve({
              within: { in: 'release', version: named },
              words: ` in release ${visibleLine(named)}`,
            });
            onClose();
          }}
        >
          Resolve
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </Dialog>
  );
}
