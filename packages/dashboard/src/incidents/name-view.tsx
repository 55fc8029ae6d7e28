import { useState } from 'react';
import { VIEW_NAME_MAX } from '../api/views.ts';
import { Button } from '../ui/button.tsx';
import { Actions, Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

/** Asks for the name under which filters are kept. */
export function NameView({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  return (
    <Dialog title="Save these filters" isOpen onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') onSave(name.trim());
        }}
      >
        <TextField
          label="Name of the view"
          hint="It is kept in this browser. A copied link shares it."
          required
          maxLength={VIEW_NAME_MAX}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Actions>
          <Button kind="primary" type="submit">
            Save view
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </Actions>
      </form>
    </Dialog>
  );
}
