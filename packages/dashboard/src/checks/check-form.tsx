import {
  CHECK_BOUNDS,
  CHECK_ENVIRONMENT_LENGTH_MAX,
  CHECK_NAME_LENGTH_MAX,
  CHECK_URL_LENGTH_MAX,
} from '@culprit/contract/monitor/availability-checks';
import { problemText } from '../api/problem-words.ts';
import { codeOf } from '../api/transport.ts';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import styles from './check-form.module.css';
import { CheckTest } from './check-test.tsx';
import type { CheckValues } from './check-values.ts';
import { checkSentence } from './check-words.ts';
import { type Save, SaveForm, useSaveForm } from './save-form.tsx';

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
  save: Save<CheckValues>;
  onCancel: () => void;
}) {
  const { form, draft, number } = useSaveForm<CheckValues>(start, save);
  const { register, formState, watch, getValues } = form;
  const { errors } = formState;
  const code = codeOf(save.error);
  const { httpStatus, timeoutMs, intervalSeconds, threshold } = CHECK_BOUNDS;
  const values = watch();
  return (
    <SaveForm
      form={form}
      draft={draft}
      save={save}
      verb={verb}
      error={AT_FIELDS.has(code ?? '') ? null : problemText(save.error)}
      beside={
        <>
          <p className={styles.sentence} dir="auto">
            {checkSentence(values)}
          </p>
          <CheckTest projectId={projectId} values={values} blockedWords={BLOCKED} />
        </>
      }
      onCancel={onCancel}
    >
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
        <TextField {...number('statusMin', httpStatus)} label="Status from" />
        <TextField
          {...number(
            'statusMax',
            httpStatus,
            (most) => most >= getValues('statusMin') || 'Enter a status that is not below the first one.',
          )}
          label="Status to"
        />
      </div>
      <div className={styles.row}>
        <TextField
          {...number('intervalSeconds', intervalSeconds)}
          label="Interval in seconds"
          {...(code === 'availability_check_interval_too_low' && { error: problemText(save.error) })}
        />
        <TextField {...number('timeoutMs', timeoutMs)} label="Timeout in milliseconds" />
      </div>
      <div className={styles.row}>
        <TextField {...number('failureThreshold', threshold)} label="Failures before an incident" />
        <TextField {...number('recoveryThreshold', threshold)} label="Successes before recovery" />
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
          hint="Service for its incidents (optional)"
          maxLength={CHECK_NAME_LENGTH_MAX}
        />
      </div>
    </SaveForm>
  );
}

/** Codes that are shown at their field. */
const AT_FIELDS = new Set(['blocked_target', 'availability_check_interval_too_low']);
const BLOCKED =
  "This address is in the server's own network. Checks request public addresses only. The operator can allow this one with CULPRIT_OUTBOUND_ALLOWLIST.";
