import {
  CHECK_BOUNDS,
  CHECK_ENVIRONMENT_LENGTH_MAX,
  CHECK_NAME_LENGTH_MAX,
  CHECK_URL_LENGTH_MAX,
} from '@culprit/contract/monitor/availability-checks';
import { useEffect } from 'react';
import { type Path, useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { codeOf } from '../api/transport.ts';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import styles from './check-form.module.css';
import { CheckTest } from './check-test.tsx';
import type { CheckValues } from './check-values.ts';
import { checkSentence } from './check-words.ts';

interface Save {
  mutate: (values: CheckValues) => void;
  isPending: boolean;
  isSuccess: boolean;
  error: unknown;
}

/** Shows the request of a check, its interval, and its failure threshold; a test beside it runs immediately. */
export function CheckForm({
  projectId,
  verb,
  start,
  save,
  onCancel,
}: {
  projectId: string;
  verb: string;
  start: CheckValues;
  save: Save;
  onCancel: () => void;
}) {
  const form = useForm<CheckValues>({ defaultValues: start, mode: 'onTouched' });
  const { register, handleSubmit, formState, watch, getValues } = form;
  const { errors } = formState;
  const draft = useDraft(form);
  const { forget } = draft;
  useEffect(() => {
    if (save.isSuccess) forget();
  });
  const code = codeOf(save.error);
  const number = (name: Path<CheckValues>, bounds: { minimum: number; maximum: number }) => ({
    ...register(name, { required: true, valueAsNumber: true, min: bounds.minimum, max: bounds.maximum }),
    type: 'number',
    inputMode: 'numeric' as const,
    min: bounds.minimum,
    max: bounds.maximum,
  });
  const faultOf = (name: keyof CheckValues, { minimum, maximum }: { minimum: number; maximum: number }) =>
    errors[name] === undefined
      ? null
      : (errors[name].message ?? '') || `Enter a whole number from ${minimum} to ${maximum}.`;
  const { httpStatus, timeoutMs, intervalSeconds, threshold } = CHECK_BOUNDS;
  const values = watch();
  return (
    <form
      className={styles.columns}
      noValidate
      onSubmit={handleSubmit((filled) => {
        // The saved draft cannot be lost when the page continues to it.
        draft.forget();
        save.mutate(filled);
      })}
    >
      <div className={styles.form}>
        <TextField
          {...register('name', { required: true, pattern: /\S/ })}
          label="Name"
          autoComplete="off"
          maxLength={CHECK_NAME_LENGTH_MAX}
          error={errors.name === undefined ? null : 'A check needs a name.'}
        />
        <TextField
          {...register('url', { required: true, pattern: /^\s*https?:\/\/\S+\s*$/i })}
          label="Address"
          type="url"
          autoComplete="off"
          spellCheck={false}
          maxLength={CHECK_URL_LENGTH_MAX}
          hint="Example: https://shop.example.com/health, on port 80 or 443"
          error={
            code === 'blocked_target'
              ? BLOCKED
              : errors.url === undefined
                ? null
                : 'Enter an address that begins with https:// or http://.'
          }
        />
        <div className={styles.row}>
          <SelectField {...register('method')} label="Method">
            <option value="GET">GET</option>
            <option value="HEAD">HEAD</option>
          </SelectField>
          <TextField
            {...number('statusMin', httpStatus)}
            label="Status from"
            error={faultOf('statusMin', httpStatus)}
          />
          <TextField
            {...number('statusMax', httpStatus)}
            {...register('statusMax', {
              required: true,
              valueAsNumber: true,
              min: httpStatus.minimum,
              max: httpStatus.maximum,
              validate: (most) =>
                most >= getValues('statusMin') || 'Enter a status that is not below the first one.',
            })}
            label="Status to"
            error={faultOf('statusMax', httpStatus)}
          />
        </div>
        <div className={styles.row}>
          <TextField
            {...number('intervalSeconds', intervalSeconds)}
            label="Interval in seconds"
            error={
              code === 'availability_check_interval_too_low'
                ? problemText(save.error)
                : faultOf('intervalSeconds', intervalSeconds)
            }
          />
          <TextField
            {...number('timeoutMs', timeoutMs)}
            label="Time limit, in milliseconds"
            error={faultOf('timeoutMs', timeoutMs)}
          />
        </div>
        <div className={styles.row}>
          <TextField
            {...number('failureThreshold', threshold)}
            label="Failures before an incident"
            error={faultOf('failureThreshold', threshold)}
          />
          <TextField
            {...number('recoveryThreshold', threshold)}
            label="Successes before recovery"
            error={faultOf('recoveryThreshold', threshold)}
          />
        </div>
        <div className={styles.row}>
          <TextField
            {...register('environment', { required: true, pattern: /\S/ })}
            label="Environment"
            maxLength={CHECK_ENVIRONMENT_LENGTH_MAX}
            error={errors.environment === undefined ? null : 'Enter an environment, for example production'}
          />
          <TextField
            {...register('service')}
            label="Service"
            hint="The service of its incidents (optional)"
            maxLength={CHECK_NAME_LENGTH_MAX}
          />
        </div>
        {save.error !== null && !AT_FIELDS.has(code ?? '') && (
          <p className={styles.error} role="alert">
            {problemText(save.error)}
          </p>
        )}
        <Actions>
          <Button
            kind="primary"
            type="submit"
            isBusy={save.isPending}
            refusal={formState.isDirty ? null : 'Nothing was changed'}
          >
            {verb}
          </Button>
          <Button onClick={onCancel}>Cancel</Button>
          {formState.isDirty && (
            <Button kind="quiet" onClick={draft.discard}>
              Discard changes
            </Button>
          )}
        </Actions>
      </div>
      <aside className={styles.beside} aria-label="What it does">
        <p className={styles.sentence} dir="auto">
          {checkSentence(values)}
        </p>
        <CheckTest projectId={projectId} values={values} blockedWords={BLOCKED} />
      </aside>
    </form>
  );
}

/** Said where it was caused. */
const AT_FIELDS = new Set(['blocked_target', 'availability_check_interval_too_low']);
const BLOCKED =
  "This address is in the server's own network. Checks request public addresses only. The operator can allow this one with CULPRIT_OUTBOUND_ALLOWLIST.";
