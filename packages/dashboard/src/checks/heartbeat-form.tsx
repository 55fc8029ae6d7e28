import {
  HEARTBEAT_BOUNDS,
  HEARTBEAT_CRONTAB_LENGTH_MAX,
  HEARTBEAT_ENVIRONMENT_LENGTH_MAX,
  HEARTBEAT_NAME_LENGTH_MAX,
  HEARTBEAT_SLUG_LENGTH_MAX,
  HEARTBEAT_UNITS,
} from '@culprit/contract/monitor/heartbeats';
import { problemText } from '../api/problem-words.ts';
import { codeOf } from '../api/transport.ts';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import styles from './check-form.module.css';
import { type HeartbeatValues, waitingOf } from './heartbeat-values.ts';
import { waitingSentence } from './heartbeat-words.ts';
import { type Save, SaveForm, useSaveForm } from './save-form.tsx';

/** Shows the schedule of a job, its longest run, and its failure threshold. */
export function HeartbeatForm({
  verb,
  start,
  isNew,
  save,
  onCancel,
}: {
  verb: string;
  start: HeartbeatValues;
  /** The slug and the environment are those of its check-ins, and stay. */
  isNew: boolean;
  save: Save<HeartbeatValues>;
  onCancel: () => void;
}) {
  const { form, draft, number } = useSaveForm<HeartbeatValues>(start, save);
  const { register, formState, watch } = form;
  const { errors } = formState;
  const code = codeOf(save.error);
  const values = watch();
  const isCrontab = values.kind === 'crontab';
  return (
    <SaveForm
      form={form}
      draft={draft}
      save={save}
      verb={verb}
      error={errorText(code, save.error)}
      beside={
        <p className={styles.sentence} dir="auto">
          {waitingSentence(waitingOf(values))}
        </p>
      }
      onCancel={onCancel}
    >
      <TextField
        {...register('name', { required: true, pattern: /\S/ })}
        label="Name"
        autoComplete="off"
        maxLength={HEARTBEAT_NAME_LENGTH_MAX}
        error={errors.name === undefined ? null : 'A heartbeat needs a name.'}
      />
      {isNew && (
        <div className={styles.row}>
          <TextField
            {...register('slug', { pattern: /^[a-z0-9_-]*$/ })}
            label="Slug"
            autoComplete="off"
            spellCheck={false}
            hint="Check-ins use it. Leave empty to derive it from the name"
            maxLength={HEARTBEAT_SLUG_LENGTH_MAX}
            error={
              code === 'heartbeat_exists'
                ? problemText(save.error)
                : errors.slug === undefined
                  ? null
                  : 'Lower-case letters, digits, - and _.'
            }
          />
          <TextField
            {...register('environment', { required: true, pattern: /\S/ })}
            label="Environment"
            maxLength={HEARTBEAT_ENVIRONMENT_LENGTH_MAX}
            error={errors.environment === undefined ? null : 'Example: production'}
          />
        </div>
      )}
      <div className={styles.row}>
        <SelectField {...register('kind')} label="Schedule">
          <option value="crontab">Crontab</option>
          <option value="interval">Interval</option>
        </SelectField>
        {isCrontab ? (
          <>
            <TextField
              {...register('crontab', { required: true, pattern: /\S/ })}
              label="Crontab"
              autoComplete="off"
              spellCheck={false}
              hint="Five fields, or @daily"
              maxLength={HEARTBEAT_CRONTAB_LENGTH_MAX}
              error={errors.crontab === undefined ? null : 'Example: 0 3 * * *'}
            />
            <TextField
              {...register('timezone', { required: true, pattern: /\S/ })}
              label="Time zone"
              autoComplete="off"
              spellCheck={false}
              error={errors.timezone === undefined ? null : 'Example: Europe/Berlin'}
            />
          </>
        ) : (
          <>
            <TextField {...number('every', HEARTBEAT_BOUNDS.interval)} label="Every" />
            <SelectField {...register('unit')} label="Unit">
              {HEARTBEAT_UNITS.map((unit) => (
                <option key={unit} value={unit}>
                  {unit}
                </option>
              ))}
            </SelectField>
          </>
        )}
      </div>
      <div className={styles.row}>
        <TextField
          {...number('marginMinutes', HEARTBEAT_BOUNDS.marginMinutes)}
          label="Grace period in minutes"
        />
        <TextField
          {...number('maxRuntimeMinutes', HEARTBEAT_BOUNDS.maxRuntimeMinutes)}
          label="Maximum run time in minutes"
        />
      </div>
      <div className={styles.row}>
        <TextField
          {...number('failureThreshold', HEARTBEAT_BOUNDS.threshold)}
          label="Failures before an incident"
        />
        <TextField
          {...number('recoveryThreshold', HEARTBEAT_BOUNDS.threshold)}
          label="Successes before recovery"
        />
      </div>
      <TextField
        {...register('service')}
        label="Service"
        hint="Service for its incidents (optional)"
        maxLength={HEARTBEAT_NAME_LENGTH_MAX}
      />
    </SaveForm>
  );
}

const UNREADABLE =
  'The schedule or the time zone cannot be read. A crontab has five fields without L, W and #, and a time within five years; a time zone has a name such as Europe/Berlin.';

/** Returns null for the code that is shown at its field. */
function errorText(code: string | null, error: unknown): string | null {
  if (code === 'heartbeat_exists') return null;
  return code === 'invalid_payload' ? UNREADABLE : problemText(error);
}
