import {
  HEARTBEAT_BOUNDS,
  HEARTBEAT_CRONTAB_LENGTH_MAX,
  HEARTBEAT_ENVIRONMENT_LENGTH_MAX,
  HEARTBEAT_NAME_LENGTH_MAX,
  HEARTBEAT_SLUG_LENGTH_MAX,
  HEARTBEAT_UNITS,
} from '@culprit/contract/monitor/heartbeats';
import { useEffect } from 'react';
import { type Path, useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { codeOf } from '../api/transport.ts';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import styles from './check-form.module.css';
import { type HeartbeatValues, waitingOf } from './heartbeat-values.ts';
import { waitingSentence } from './heartbeat-words.ts';

interface Save {
  mutate: (values: HeartbeatValues) => void;
  isPending: boolean;
  isSuccess: boolean;
  error: unknown;
}

interface Bounds {
  minimum: number;
  maximum: number;
}

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
  save: Save;
  onCancel: () => void;
}) {
  const form = useForm<HeartbeatValues>({ defaultValues: start, mode: 'onTouched' });
  const { register, handleSubmit, formState, watch } = form;
  const { errors } = formState;
  const draft = useDraft(form);
  const { forget } = draft;
  useEffect(() => {
    if (save.isSuccess) forget();
  });
  const code = codeOf(save.error);
  const values = watch();
  const isCrontab = values.kind === 'crontab';
  const number = (name: Path<HeartbeatValues>, { minimum, maximum }: Bounds) => ({
    ...register(name, { required: true, valueAsNumber: true, min: minimum, max: maximum }),
    type: 'number',
    inputMode: 'numeric' as const,
    min: minimum,
    max: maximum,
    error: errors[name] === undefined ? null : `Enter a whole number from ${minimum} to ${maximum}.`,
  });
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
              error={errors.environment === undefined ? null : 'Such as: production'}
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
                error={errors.crontab === undefined ? null : 'Such as: 0 3 * * *'}
              />
              <TextField
                {...register('timezone', { required: true, pattern: /\S/ })}
                label="Time zone"
                autoComplete="off"
                spellCheck={false}
                error={errors.timezone === undefined ? null : 'Such as: Europe/Berlin'}
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
            label="Late after, in minutes"
          />
          <TextField
            {...number('maxRuntimeMinutes', HEARTBEAT_BOUNDS.maxRuntimeMinutes)}
            label="Longest run, in minutes"
          />
        </div>
        <div className={styles.row}>
          <TextField
            {...number('failureThreshold', HEARTBEAT_BOUNDS.threshold)}
            label="Fails after failures"
          />
          <TextField
            {...number('recoveryThreshold', HEARTBEAT_BOUNDS.threshold)}
            label="Recovers after successes"
          />
        </div>
        <TextField
          {...register('service')}
          label="Service"
          hint="The service of its incidents (optional)"
          maxLength={HEARTBEAT_NAME_LENGTH_MAX}
        />
        {save.error !== null && code !== 'heartbeat_exists' && (
          <p className={styles.error} role="alert">
            {code === 'invalid_payload' ? UNREADABLE : problemText(save.error)}
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
          {waitingSentence(waitingOf(values))}
        </p>
      </aside>
    </form>
  );
}

const UNREADABLE =
  'The schedule or the time zone cannot be read. A crontab has five fields without L, W and #, and a time within five years; a time zone has a name such as Europe/Berlin.';
