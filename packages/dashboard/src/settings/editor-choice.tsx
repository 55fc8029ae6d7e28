import { useState } from 'react';
import { appearance, changeAppearance } from '../shell/frame/appearance.ts';
import { EDITORS, type Editor, editorKindOf, readEditor, targetFault } from '../shell/parts/editor.ts';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import styles from './appearance-choices.module.css';

const NONE = '';
const FOLDER_HINT = 'The folder with the same code on this machine. Required for relative paths.';
const WEB_HINT = 'Example: https://git.example.com/shop/blob/{commit}/{path}#L{line}';

/** Shows the choice of the editor for lines of a stack. It takes effect immediately, and stays in this browser. */
export function EditorChoice() {
  const [editor, setEditor] = useState(() => readEditor(appearance.get().editor));
  const change = (next: Editor | null) => {
    setEditor(next);
    changeAppearance({ editor: next });
  };
  return (
    <div className={`${styles.fields} ${styles.wide}`}>
      <SelectField
        label="Editor"
        value={editor?.kind ?? NONE}
        onChange={({ target }) => {
          const kind = editorKindOf(target.value);
          change(kind === null ? null : { origin: editor?.origin ?? '', kind, target: '' });
        }}
      >
        <option value={NONE}>None</option>
        {Object.entries(EDITORS).map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </SelectField>
      {editor !== null && (
        <>
          <TextField
            label={editor.kind === 'web' ? 'Address' : 'Folder on this machine'}
            value={editor.target}
            onChange={({ target }) => change({ ...editor, target: target.value })}
            hint={editor.kind === 'web' ? WEB_HINT : FOLDER_HINT}
            error={targetFault(editor.kind, editor.target)}
            autoComplete="off"
            spellCheck={false}
          />
          <TextField
            label="Folder where it runs"
            value={editor.origin}
            onChange={({ target }) => change({ ...editor, origin: target.value })}
            hint="The prefix that is removed from paths of the stack, such as /srv/app (optional)."
            autoComplete="off"
            spellCheck={false}
          />
        </>
      )}
    </div>
  );
}
