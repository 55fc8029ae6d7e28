import {
  ALERT_ENVIRONMENTS_MAX,
  ALERT_NAME_LENGTH_MAX,
  ALERT_NAMES_PATTERN,
  ALERT_SERVICES_MAX,
  ALERT_TEMPLATE_LENGTH_MAX,
  type Alert,
} from '@culprit/contract/alerts';
import type { Project } from '@culprit/contract/projects';
import type { Service } from '@culprit/contract/services';
import type { SlackDestination } from '@culprit/contract/slack';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type UseFormReturn, useController } from 'react-hook-form';
import { slackName } from '../api/slack.ts';
import { visibleLine } from '../format/event-text.ts';
import { duration } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import link from '../shell/link.module.css';
import { Button } from '../ui/button.tsx';
import { SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { NamesField } from '../ui/names-field.tsx';
import styles from './alert-form.module.css';
import {
  type AlertValues,
  namesIn,
  PAGERDUTY_REGIONS,
  serviceName,
  storedUrl,
  type UrlWay,
  WAYS,
} from './alert-values.ts';
import {
  CONDITION_WORDS,
  COOLDOWNS,
  COUNTED_WORDS,
  SCOPE_WORDS,
  SEVERITY_CHOICES,
  TEMPLATE_PRESETS,
  URL_FIELDS,
  WAY_WORDS,
  WINDOWS,
} from './alert-words.ts';

interface FieldsProps {
  form: UseFormReturn<AlertValues>;
  stored: Alert | null;
  project: Project;
  services: readonly Service[];
  destinations: readonly SlackDestination[];
}

/** When, where, whom and how often: the lines that a rule consists of, and its name. */
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
              ? 'Browser errors without details count as Low or Medium and do not pass.'
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
            hint="This rule names one service of one environment. Choose every service to name others."
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
      </Line>
      <Line title="Send">
        <Target form={form} stored={stored} project={project} destinations={destinations} />
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
          hint="Shown in messages. Without a name they show the condition."
          maxLength={ALERT_NAME_LENGTH_MAX}
          autoComplete="off"
        />
      </Line>
    </>
  );
}

/** How many events, in which time, or how many users. */
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
            `A number from ${least}`,
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
        problemOf={(name) =>
          NAME.test(name) ? null : 'A * is allowed at the end only, a ! at the beginning'
        }
        show={visibleLine}
        onChange={(names) => control.onChange(names.join('\n'))}
      />
    </div>
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

function Target({ form, stored, project, destinations }: Omit<FieldsProps, 'services'>) {
  const { register, watch, formState } = form;
  const [way, destinationId] = watch(['way', 'destinationId']);
  const { errors } = formState;
  // A channel that nobody connected is no choice, unless the rule has it already.
  const ways = WAYS.filter(
    (each) => each !== 'slack_destination' || destinations.length > 0 || way === 'slack_destination',
  );
  return (
    <>
      <SelectField {...register('way')} label="Channel">
        {ways.map((each) => (
          <option key={each} value={each}>
            {WAY_WORDS[each]}
          </option>
        ))}
      </SelectField>
      {way === 'email' && (
        <TextField
          {...register('email', {
            validate: (text, { way: now }) =>
              now !== 'email' || /^\S+@\S+$/.test(text.trim()) || 'One address, such as oncall@example.com',
          })}
          className={styles.wide}
          label="Address"
          type="email"
          autoComplete="off"
          error={errors.email?.message}
        />
      )}
      {way === 'slack_destination' && (
        <SelectField
          {...register('destinationId', {
            validate: (id, { way: now }) => now !== 'slack_destination' || id !== '' || 'Choose a channel',
          })}
          className={styles.wide}
          label="Slack channel"
          error={errors.destinationId?.message}
          hint={
            <Link className={link.link} to={pathTo('slack', { pid: project.project_id })}>
              Connect another channel
            </Link>
          }
        >
          <option value="">choose one</option>
          {destinations.map((destination) => (
            <option key={destination.slack_destination_id} value={destination.slack_destination_id}>
              {slackName(destination)}
              {destination.is_active ? '' : ' (Slack refuses it)'}
            </option>
          ))}
          {destinationId !== '' &&
            !destinations.some(({ slack_destination_id: id }) => id === destinationId) && (
              <option value={destinationId}>a channel that is gone</option>
            )}
        </SelectField>
      )}
      {way !== 'email' && way !== 'slack_destination' && (
        <SecretTarget key={way} form={form} way={way} stored={stored} />
      )}
    </>
  );
}

type SecretWay = UrlWay | 'telegram' | 'pagerduty';

function targetLabel(way: SecretWay): string {
  if (way === 'telegram') return 'Chat';
  return way === 'pagerduty' ? 'Integration key' : URL_FIELDS[way].label;
}

/** A target that is as good as a password: what is stored shows its end only, and is replaced as a whole. */
function SecretTarget({
  form,
  way,
  stored,
}: {
  form: UseFormReturn<AlertValues>;
  way: SecretWay;
  stored: Alert | null;
}) {
  const shown = storedUrl(way, stored);
  const [isReplacing, setReplacing] = useState(false);
  if (shown !== null && !isReplacing) {
    return (
      <div className={styles.stored}>
        <span className={styles.storedLabel}>{targetLabel(way)}</span>
        <code translate="no">{shown}</code>
        <Button kind="quiet" onClick={() => setReplacing(true)}>
          Replace
        </Button>
      </div>
    );
  }
  if (way === 'telegram') return <TelegramTarget form={form} isReplacing={isReplacing} />;
  if (way === 'pagerduty') return <PagerdutyTarget form={form} isReplacing={isReplacing} />;
  const { label, hint } = URL_FIELDS[way];
  return (
    <>
      <TextField
        {...form.register('url', {
          validate: (text, { way: now }) =>
            now !== way || /^https?:\/\/\S+$/.test(text.trim()) || 'An address that begins with https://',
        })}
        className={styles.wide}
        label={label}
        hint={hint}
        type="url"
        autoComplete="off"
        spellCheck={false}
        autoFocus={isReplacing}
        error={form.formState.errors.url?.message}
      />
      {way === 'template' && <TemplateBody form={form} />}
      {way === 'ntfy' && (
        <TextField
          {...form.register('token', {
            validate: (text, { way: now }) =>
              now !== 'ntfy' || /^[!-~]*$/.test(text.trim()) || 'A token without blanks',
          })}
          className={styles.wide}
          label="Access token (optional)"
          autoComplete="off"
          spellCheck={false}
          error={form.formState.errors.token?.message}
        />
      )}
    </>
  );
}

function TelegramTarget({ form, isReplacing }: { form: UseFormReturn<AlertValues>; isReplacing: boolean }) {
  const { register, formState } = form;
  const check =
    (isRight: RegExp, problem: string) =>
    (text: string, { way }: AlertValues) =>
      way !== 'telegram' || isRight.test(text.trim()) || problem;
  return (
    <>
      <TextField
        {...register('token', { validate: check(/^[!-~]+$/, 'The token that @BotFather gave you') })}
        className={styles.wide}
        label="Token of the bot"
        hint="Ask @BotFather for a bot, and add it to the chat."
        autoComplete="off"
        spellCheck={false}
        autoFocus={isReplacing}
        error={formState.errors.token?.message}
      />
      <TextField
        {...register('chatId', {
          validate: check(/^(?:-?\d+|@\w+)$/, 'A number such as -1001234567890, or @channel'),
        })}
        label="Chat"
        hint="Its number, or @ and the name of a public channel."
        autoComplete="off"
        error={formState.errors.chatId?.message}
      />
      <TextField
        {...register('threadId', { validate: check(/^\d*$/, 'A number') })}
        label="Topic (optional)"
        inputMode="numeric"
        autoComplete="off"
        error={formState.errors.threadId?.message}
      />
    </>
  );
}

function PagerdutyTarget({ form, isReplacing }: { form: UseFormReturn<AlertValues>; isReplacing: boolean }) {
  const { register, formState } = form;
  return (
    <>
      <TextField
        {...register('token', {
          validate: (text, { way }) =>
            way !== 'pagerduty' || /^[0-9A-Za-z]{32}$/.test(text.trim()) || 'A key of 32 letters and digits',
        })}
        className={styles.wide}
        label="Integration key"
        hint="In PagerDuty, add the integration “Events API V2” to a service. The page closes when the incident is resolved."
        autoComplete="off"
        spellCheck={false}
        autoFocus={isReplacing}
        error={formState.errors.token?.message}
      />
      <SelectField {...register('url')} label="Region">
        {PAGERDUTY_REGIONS.map(([server, words]) => (
          <option key={server} value={server}>
            {words}
          </option>
        ))}
      </SelectField>
    </>
  );
}

/** The JSON of a template. It is sent with its address, so it is changed together with it. */
function TemplateBody({ form }: { form: UseFormReturn<AlertValues> }) {
  return (
    <>
      <SelectField
        label="Start from"
        value=""
        onChange={({ target }) => {
          const preset = TEMPLATE_PRESETS[target.value];
          if (preset !== undefined)
            form.setValue('body', JSON.stringify(preset, null, 2), { shouldDirty: true });
        }}
      >
        <option value="">a system</option>
        {Object.keys(TEMPLATE_PRESETS).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextAreaField
        {...form.register('body', {
          validate: (text, { way }) => way !== 'template' || isJson(text) || 'A JSON object',
        })}
        className={styles.whole}
        label="JSON"
        hint="{{headline}}, {{title}}, {{severity}}, {{service}}, {{environment}}, {{occurrences}}, {{url}} and the others of the documentation are filled in."
        rows={8}
        maxLength={ALERT_TEMPLATE_LENGTH_MAX}
        spellCheck={false}
        error={form.formState.errors.body?.message}
      />
    </>
  );
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
