import { ALERT_TEMPLATE_LENGTH_MAX, type Alert } from '@culprit/contract/alerts/alerts';
import type { SlackDestination } from '@culprit/contract/alerts/slack';
import { TEMPLATE_PRESETS } from '@culprit/contract/alerts/template-presets';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { slackName } from '../api/slack.ts';
import { trackerName, trackersQuery } from '../api/trackers.ts';
import { pathTo } from '../paths.ts';
import link from '../shell/parts/link.module.css';
import { Button } from '../ui/button.tsx';
import { SelectField, TextAreaField, TextField } from '../ui/fields/field.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import styles from './alert-form.module.css';
import {
  type AlertValues,
  headersIn,
  PAGERDUTY_REGIONS,
  storedUrl,
  type UrlWay,
  WAYS,
} from './alert-values.ts';
import { URL_FIELDS, WAY_WORDS } from './alert-words.ts';

export interface TargetProps {
  form: UseFormReturn<AlertValues>;
  stored: Alert | null;
  project: Project;
  destinations: readonly SlackDestination[];
}

/** The channel of a rule, and where it sends. */
export function AlertTarget({ form, stored, project, destinations }: TargetProps) {
  const { register, watch, formState } = form;
  const [way, destinationId] = watch(['way', 'destinationId']);
  const { errors } = formState;
  // Without a connected channel there is no such choice, unless the rule has it already.
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
              now !== 'email' ||
              /^\S+@\S+$/.test(text.trim()) ||
              'Enter one address, such as oncall@example.com',
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
              <option value={destinationId}>a channel that no longer exists</option>
            )}
        </SelectField>
      )}
      {way === 'tracker' && <TrackerTarget form={form} project={project} />}
      {way !== 'email' && way !== 'slack_destination' && way !== 'tracker' && (
        <SecretTarget key={way} form={form} way={way} stored={stored} />
      )}
    </>
  );
}

/** The tracker in which a rule creates tickets. */
function TrackerTarget({ form, project }: Pick<TargetProps, 'form' | 'project'>) {
  const { register, watch, formState } = form;
  const { data: trackers } = useQuery(trackersQuery(project.project_id));
  const trackerId = watch('trackerId');
  if (trackers === undefined) return <SkeletonRows rows={1} height="56px" />;
  return (
    <SelectField
      {...register('trackerId', {
        validate: (id, { way }) => way !== 'tracker' || id !== '' || 'Choose an issue tracker',
      })}
      className={styles.wide}
      label="Issue tracker"
      error={formState.errors.trackerId?.message}
      hint={
        <>
          An incident gets one ticket.{' '}
          <Link className={link.link} to={pathTo('trackers', { pid: project.project_id })}>
            Connect another tracker
          </Link>
        </>
      }
    >
      <option value="">choose one</option>
      {trackers.map((tracker) => (
        <option key={tracker.tracker_id} value={tracker.tracker_id}>
          {trackerName(tracker)}
          {tracker.is_stopped ? ' (its token is refused)' : ''}
        </option>
      ))}
      {trackerId !== '' && !trackers.some(({ tracker_id: id }) => id === trackerId) && (
        <option value={trackerId}>a tracker that is disconnected</option>
      )}
    </SelectField>
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
            now !== way ||
            /^https?:\/\/\S+$/.test(text.trim()) ||
            'Enter an address that begins with https://',
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
              now !== 'ntfy' || /^[!-~]*$/.test(text.trim()) || 'Enter a token without spaces',
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
        {...register('token', { validate: check(/^[!-~]+$/, 'Enter the token from @BotFather') })}
        className={styles.wide}
        label="Bot token"
        hint="Create a bot with @BotFather and add it to the chat."
        autoComplete="off"
        spellCheck={false}
        autoFocus={isReplacing}
        error={formState.errors.token?.message}
      />
      <TextField
        {...register('chatId', {
          validate: check(/^(?:-?\d+|@\w+)$/, 'Enter a number such as -1001234567890, or @channel'),
        })}
        label="Chat"
        hint="The chat number, or @ and the name of a public channel."
        autoComplete="off"
        error={formState.errors.chatId?.message}
      />
      <TextField
        {...register('threadId', { validate: check(/^\d*$/, 'Enter a number') })}
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
            way !== 'pagerduty' ||
            /^[0-9A-Za-z]{32}$/.test(text.trim()) ||
            'Enter a key of 32 letters and digits',
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
          const preset = TEMPLATE_PRESETS.find(({ id }) => id === target.value);
          if (preset !== undefined)
            form.setValue('body', JSON.stringify(preset.body, null, 2), { shouldDirty: true });
        }}
      >
        <option value="">a system</option>
        {TEMPLATE_PRESETS.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextAreaField
        {...form.register('body', {
          validate: (text, { way }) => way !== 'template' || isJson(text) || 'Enter a JSON object',
        })}
        className={styles.whole}
        label="JSON"
        hint="{{headline}}, {{title}}, {{severity}}, {{service}}, {{environment}}, {{occurrences}}, {{url}} and the other placeholders in the documentation are filled in."
        rows={8}
        maxLength={ALERT_TEMPLATE_LENGTH_MAX}
        spellCheck={false}
        error={form.formState.errors.body?.message}
      />
      <TextAreaField
        {...form.register('headers', {
          validate: (text, { way }) =>
            way !== 'template' ||
            headersIn(text).every((line) => /^[A-Za-z0-9-]+: \S/.test(line)) ||
            'One per line, such as Authorization: GenieKey 1234',
        })}
        className={styles.whole}
        label="Headers (optional)"
        hint="One per line, such as Authorization: GenieKey 1234. Their values are not shown again."
        rows={2}
        spellCheck={false}
        error={form.formState.errors.headers?.message}
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
