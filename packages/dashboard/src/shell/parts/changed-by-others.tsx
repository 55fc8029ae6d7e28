import { Button } from '../../ui/button.tsx';
import { Actions, Dialog } from '../../ui/layers/dialog.tsx';

/** The fields, in words, in which a record is no longer what an editor began with. */
export function fieldsChanged<Item extends object>(
  loaded: Item,
  now: Item,
  words: Readonly<Partial<Record<keyof Item, string>>>,
): string[] {
  return Object.entries<string | undefined>(words).flatMap(([name, word]) =>
    word !== undefined && fieldOf(loaded, name) !== fieldOf(now, name) ? [word] : [],
  );
}

/** The fields of a request that differ from what an editor began with, so that changes of others stay. */
export function changesBetween<Body extends object>(before: Body, after: Body): Partial<Body> {
  const changed: Partial<Body> = {};
  for (const name in after) {
    if (JSON.stringify(after[name]) !== JSON.stringify(before[name])) changed[name] = after[name];
  }
  return changed;
}

function fieldOf(record: object, name: string): string | undefined {
  return JSON.stringify(Object.entries(record).find(([each]) => each === name)?.[1]);
}

/** Asks for confirmation before a save that would follow another person's, and names what they changed. */
export function ChangedByOthers({
  fields,
  isBusy,
  onSave,
  onTakeTheirs,
  onClose,
}: {
  /** Null: no one else saved. */
  fields: readonly string[] | null;
  isBusy: boolean;
  onSave: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog title="This was changed by another person" isOpen={fields !== null} onClose={onClose}>
      <p>
        {fields === null || fields.length === 0
          ? 'The values shown here have not changed.'
          : `Changed: ${fields.join(', ')}.`}{' '}
        Saving sends only the fields that you changed.
      </p>
      <Actions>
        <Button kind="primary" isBusy={isBusy} onClick={onSave}>
          Save my changes
        </Button>
        <Button onClick={onTakeTheirs}>Discard my changes</Button>
      </Actions>
    </Dialog>
  );
}
