import { type ReactNode, useEffect } from 'react';
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import styles from './check-form.module.css';

/** The request that a form sends. */
export interface Save<Values> {
  mutate: (values: Values) => void;
  isPending: boolean;
  isSuccess: boolean;
  error: unknown;
}

/** A form with its draft, and the properties of a field for a whole number. */
export function useSaveForm<Values extends FieldValues>(start: DefaultValues<Values>, save: Save<Values>) {
  const form = useForm<Values>({ defaultValues: start, mode: 'onTouched' });
  const draft = useDraft(form);
  const { forget } = draft;
  useEffect(() => {
    if (save.isSuccess) forget();
  });
  const number = <Name extends Path<Values>>(
    name: Name,
    { minimum, maximum }: { minimum: number; maximum: number },
    validate: (value: PathValue<Values, Name>) => true | string = () => true,
  ) => {
    const { error } = form.getFieldState(name, form.formState);
    return {
      ...form.register(name, { required: true, valueAsNumber: true, min: minimum, max: maximum, validate }),
      type: 'number',
      inputMode: 'numeric' as const,
      min: minimum,
      max: maximum,
      error: error && (error.message || `Enter a whole number from ${minimum} to ${maximum}.`),
    };
  };
  return { form, draft, number };
}

/** Shows fields, the error of the request, and buttons; next to them what the form describes. */
export function SaveForm<Values extends FieldValues>({
  form,
  draft,
  save,
  verb,
  error,
  beside,
  onCancel,
  children,
}: {
  form: UseFormReturn<Values>;
  draft: { forget: () => void; discard: () => void };
  save: Save<Values>;
  verb: string;
  /** Null for an error that is shown at its field. */
  error: string | null;
  beside: ReactNode;
  onCancel: () => void;
  children: ReactNode;
}) {
  const { isDirty } = form.formState;
  return (
    <form
      className={styles.columns}
      noValidate
      onSubmit={form.handleSubmit((filled) => {
        // The saved draft cannot be lost when the page continues to it.
        draft.forget();
        save.mutate(filled);
      })}
    >
      <div className={styles.form}>
        {children}
        {save.error !== null && error !== null && (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
        <Actions>
          <Button
            kind="primary"
            type="submit"
            isBusy={save.isPending}
            refusal={isDirty ? null : 'Nothing was changed'}
          >
            {verb}
          </Button>
          <Button onClick={onCancel}>Cancel</Button>
          {isDirty && (
            <Button kind="quiet" onClick={draft.discard}>
              Discard changes
            </Button>
          )}
        </Actions>
      </div>
      <aside className={styles.beside} aria-label="What it does">
        {beside}
      </aside>
    </form>
  );
}
