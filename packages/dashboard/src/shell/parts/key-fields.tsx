import { TOKEN_LABEL_LENGTH_MAX } from '@culprit/contract/workspace/tokens';
import { TextField } from '../../ui/fields/field.tsx';

interface KeyField {
  value: string;
  onText: (text: string) => void;
  hint: string;
  error?: string | null;
}

/** The label of a token or a key. */
export function LabelField({ onText, error = null, ...field }: KeyField) {
  return (
    <TextField
      {...field}
      error={error}
      label="Label"
      name="label"
      required
      autoFocus
      autoComplete="off"
      maxLength={TOKEN_LABEL_LENGTH_MAX}
      onChange={({ target }) => onText(target.value)}
    />
  );
}

/** The origins of the pages that can use a token or a key. */
export function OriginsField({ onText, error = null, ...field }: KeyField) {
  return (
    <TextField
      {...field}
      error={error}
      label="Origins"
      name="origins"
      autoComplete="off"
      onChange={({ target }) => onText(target.value)}
    />
  );
}
