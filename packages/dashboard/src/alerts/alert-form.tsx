import { alertQueryFault } from '@culprit/contract/alerts/alert-query';
import {
  ALERT_ENVIRONMENTS_MAX,
  ALERT_NAME_LENGTH_MAX,
  ALERT_NAMES_PATTERN,
  ALERT_SERVICES_MAX,
} from '@culprit/contract/alerts/alerts';
import type { Service } from '@culprit/contract/incidents/services';
import { ALERT_QUERY_CHARS_MAX } from '@culprit/contract/search/query-limits';
import { type ReactNode, useRef } from 'react';
import { type UseFormReturn, useController } from 'react-hook-form';
import { visibleLine } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { QueryInput } from '../shell/parts/query-input.tsx';
import { Labelled, SelectField, TextField } from '../ui/fields/field.tsx';
import { NamesField } from '../ui/fields/names-field.tsx';
import styles from './alert-form.module.css';
import { AlertTarget, type TargetProps } from './alert-target.tsx';
import { type AlertValues, namesIn, serviceName } from './alert-values.ts';
import {
  CONDITION_WORDS,
  COOLDOWNS,
  COUNTED_WORDS,
  SCOPE_WORDS,
  SEVERITY_CHOICES,
  WINDOWS,
} from './alert-words.ts';

interface FieldsProps extends TargetProps {
  services: readonly Service[];
}

/** Shows the fields of a rule: its condition, filters, receiver, cooldown, and name. */
export function AlertFields({ form, stored, project, services, destinations }: FieldsProps) {
  const { register, watch } = form;
  const [condition, severityMin, serviceId, cooldown] = watch([
    'condition',
    'severityMin',
    'serviceId',
    'cooldownSeconds',
  ]);
  const isKnownService = services.some(({ service_id: id }) => id === serviceId);
  return (
    <>
      <Line title="When">
        <SelectField {...register('condition')} label="Condition">
          {entriesOf(CONDITION_WORDS)}
        </SelectField>
        {condition === 'occurrence_threshold' && <ThresholdFields form={form} />}
        {condition === 'severity_threshold' && (
          <SelectField {...register('scope')} label="Incidents">
            {entriesOf(SCOPE_WORDS)}
          </SelectField>
        )}
        <SelectField
          {...register('severityMin')}
          label="Minimum severity"
          hint={
            severityMin === 'high' || severityMin === 'critical'
              ? 'Browser errors without details are Low or Medium, so they do not match.'
              : undefined
          }
        >
          {entriesOf(SEVERITY_CHOICES)}
        </SelectField>
      </Line>
      <Line title="Where">
        {serviceId === '' ? (
          <Names
            form={form}
            field="services"
            label="Services"
            addLabel="Another service"
            hint="Leave empty for all. Type api* for names that begin with api, !jobs to exclude jobs."
            known={services.map(({ name }) => name)}
            max={ALERT_SERVICES_MAX}
          />
        ) : (
          <SelectField
            {...register('serviceId')}
            className={styles.whole}
            label="Service"
            hint="This rule covers one service in one environment. Choose every service to filter by name instead."
          >
            <option value="">every service</option>
            {!isKnownService && <option value={serviceId}>{serviceId}</option>}
            {services.map(({ service_id: id }) => (
              <option key={id} value={id}>
                {serviceName(id, services)}
              </option>
            ))}
          </SelectField>
        )}
        <Names
          form={form}
          field="environments"
          label="Environments"
          addLabel="Another environment"
          hint="Leave empty for all. Type prod* for names that begin with prod, !test to exclude test."
          known={services.map(({ environment }) => environment)}
          max={ALERT_ENVIRONMENTS_MAX}
        />
        <QueryField form={form} projectId={project.project_id} />
      </Line>
      <Line title="Send">
        <AlertTarget form={form} stored={stored} project={project} destinations={destinations} />
      </Line>
      <Line title="Quiet">
        <SelectField {...register('cooldownSeconds')} label="Pause per failure">
          {COOLDOWNS.map(([seconds, words]) => (
            <option key={seconds} value={seconds}>
              {words}
            </option>
          ))}
          {!COOLDOWNS.some(([seconds]) => String(seconds) === cooldown) && (
            <option value={cooldown}>{duration(Number(cooldown) * 1000)}</option>
          )}
        </SelectField>
      </Line>
      <Line title="Name">
        <TextField
          {...register('name')}
          className={styles.wide}
          label="Name of the rule"
          hint="Shown in messages. If it is empty, they show the condition."
          maxLength={ALERT_NAME_LENGTH_MAX}
          autoComplete="off"
        />
      </Line>
    </>
  );
}

/** Shows the threshold: a number of events and its window, or a number of users. */
function ThresholdFields({ form }: { form: UseFormReturn<AlertValues> }) {
  const { register, watch, formState } = form;
  const [counted, windowMinutes] = watch(['counted', 'windowMinutes']);
  const least = counted === 'events' ? 2 : 1;
  return (
    <>
      <TextField
        {...register('threshold', {
          validate: (text, { condition }) =>
            condition !== 'occurrence_threshold' ||
            (/^\d{1,7}$/.test(text.trim()) && Number(text) >= least) ||
            `Enter a number from ${least}`,
          deps: 'counted',
        })}
        label="At least"
        inputMode="numeric"
        autoComplete="off"
        error={formState.errors.threshold?.message}
      />
      <SelectField {...register('counted')} label="Unit">
        {entriesOf(COUNTED_WORDS)}
      </SelectField>
      {counted === 'events' && (
        <SelectField {...register('windowMinutes')} label="Within">
          {WINDOWS.map(([minutes, words]) => (
            <option key={minutes} value={minutes}>
              {words}
            </option>
          ))}
          {!WINDOWS.some(([minutes]) => String(minutes) === windowMinutes) && (
            <option value={windowMinutes}>{windowMinutes} minutes</option>
          )}
        </SelectField>
      )}
    </>
  );
}

const NAME = new RegExp(ALERT_NAMES_PATTERN);

/** The names that narrow a rule; none chosen is every one. */
function Names({
  form,
  field,
  label,
  addLabel,
  hint,
  known,
  max,
}: {
  form: UseFormReturn<AlertValues>;
  field: 'services' | 'environments';
  label: string;
  addLabel: string;
  hint: string;
  known: readonly string[];
  max: number;
}) {
  const { field: control } = useController({ control: form.control, name: field });
  return (
    <div className={styles.whole}>
      <NamesField
        label={label}
        hint={hint}
        addLabel={addLabel}
        known={[...new Set(known)].sort()}
        names={namesIn(control.value)}
        max={max}
        problemOf={(name) => (NAME.test(name) ? null : 'Use * only at the end and ! only at the beginning')}
        show={visibleLine}
        onChange={(names) => control.onChange(names.join('\n'))}
      />
    </div>
  );
}

/** Which incidents, as the list is searched. */
function QueryField({ form, projectId }: { form: UseFormReturn<AlertValues>; projectId: string }) {
  const { field, fieldState } = useController({
    control: form.control,
    name: 'query',
    rules: {
      validate: (text) => {
        const fault = text.trim() === '' ? null : alertQueryFault(text);
        return fault === null || `The query ${fault}.`;
      },
    },
  });
  const input = useRef<HTMLInputElement>(null);
  return (
    <Labelled
      className={styles.whole}
      label="Query"
      hint="Leave empty for all. Uses the filters of the incident list, such as tag.plan:enterprise or -type:Timeout*."
      error={fieldState.error?.message}
    >
      {(tied) => (
        <div className={styles.query}>
          <QueryInput
            {...tied}
            input={input}
            text={field.value}
            projectId={projectId}
            maxLength={ALERT_QUERY_CHARS_MAX}
            onText={field.onChange}
          />
        </div>
      )}
    </Labelled>
  );
}

function Line({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={styles.line}>
      <legend className={styles.name}>{title}</legend>
      <div className={styles.fields}>{children}</div>
    </fieldset>
  );
}

function entriesOf(words: Readonly<Record<string, string>>) {
  return Object.entries(words).map(([value, word]) => (
    <option key={value} value={value}>
      {word}
    </option>
  ));
}
