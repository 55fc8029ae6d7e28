import { WEEKDAYS } from '@culprit/contract/alerts/weekdays';
import {
  createWeeklyReportChannel,
  type ReportConfigRequest,
  updateWeeklyReportChannel,
  type WeeklyReportChannel,
} from '@culprit/contract/alerts/weekly-reports';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { reportChannelsQuery } from '../api/reports.ts';
import { slackDestinationsQuery, slackName } from '../api/slack.ts';
import { call } from '../api/transport.ts';
import { shortUrl } from '../format/short-url.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import { addressesIn, faultOfTarget, type ReportValues, valuesOf } from './report-values.ts';
import styles from './reports.module.css';
import { DAY_WORDS, hourWords } from './schedule.ts';

/** Shows the receivers and the schedule of the report. The kind of an existing channel cannot change. */
export function ReportForm({
  project,
  stored,
  kinds,
  onDone,
}: {
  project: Project;
  stored: WeeklyReportChannel | null;
  /** The kinds that can still be created. */
  kinds: readonly ReportValues['way'][];
  onDone: () => void;
}) {
  const pid = project.project_id;
  const queryClient = useQueryClient();
  const { data: destinations = [] } = useQuery(slackDestinationsQuery(pid));
  const [values, setValues] = useState(() => valuesOf(stored, kinds[0] ?? 'slack_url'));
  const [wasTried, setTried] = useState(false);
  const change = (part: Partial<ReportValues>) => setValues({ ...values, ...part });
  const isTargetKept = stored !== null && values.way === 'slack_url' && values.url.trim() === '';
  const fault = isTargetKept ? null : faultOfTarget(values);
  const save = useMutation({
    mutationFn: async () => {
      const schedule = {
        day_of_week: values.day,
        hour_of_day: Number(values.hour),
        timezone: values.timezone,
      };
      const config = configOf(values);
      if (stored === null) {
        const channel = values.way === 'email' ? ('email' as const) : ('slack' as const);
        const body = { project_id: pid, channel, config, schedule };
        return await call(createWeeklyReportChannel, { body });
      }
      const body = { schedule, ...(isTargetKept ? {} : { config }) };
      return await call(updateWeeklyReportChannel, { params: { id: stored.channel_id }, body });
    },
    onSuccess: async () => {
      showToast('Saved');
      onDone();
      await queryClient.invalidateQueries(reportChannelsQuery(pid));
    },
  });
  const ways = stored === null ? kinds : waysOf(stored);
  const shownUrl =
    stored !== null && 'webhook_url' in stored.config ? shortUrl(stored.config.webhook_url) : null;
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (fault === null && !save.isPending) save.mutate();
      }}
    >
      {ways.length > 1 && (
        <SelectField
          label="Channel"
          value={values.way}
          onChange={({ target }) => {
            const way = ways.find((each) => each === target.value);
            if (way !== undefined) change({ way });
          }}
        >
          {ways.map((way) => (
            <option key={way} value={way}>
              {WAY_WORDS[way]}
            </option>
          ))}
        </SelectField>
      )}
      {values.way === 'email' && (
        <TextField
          label="Addresses"
          hint="Up to three, comma-separated"
          autoComplete="off"
          value={values.to}
          onChange={(event) => change({ to: event.target.value })}
          error={wasTried ? fault : null}
        />
      )}
      {values.way === 'slack_destination' && (
        <SelectField
          label="Slack channel"
          value={values.destinationId}
          onChange={(event) => change({ destinationId: event.target.value })}
          error={wasTried ? fault : null}
        >
          <option value="">choose one</option>
          {destinations.map((destination) => (
            <option key={destination.slack_destination_id} value={destination.slack_destination_id}>
              {slackName(destination)}
              {destination.is_active ? '' : ' (Slack refuses it)'}
            </option>
          ))}
        </SelectField>
      )}
      {values.way === 'slack_url' && (
        <TextField
          label="Address of the incoming webhook"
          hint={
            shownUrl === null
              ? 'Begins with https://hooks.slack.com/services/'
              : `Now ${shownUrl}. Leave it empty to keep it.`
          }
          type="url"
          autoComplete="off"
          spellCheck={false}
          value={values.url}
          onChange={(event) => change({ url: event.target.value })}
          error={wasTried ? fault : null}
        />
      )}
      <div className={styles.pairs}>
        <SelectField
          label="Day"
          value={values.day}
          onChange={({ target }) => {
            const day = WEEKDAYS.find((each) => each === target.value);
            if (day !== undefined) change({ day });
          }}
        >
          {WEEKDAYS.map((day) => (
            <option key={day} value={day}>
              {DAY_WORDS[day]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Hour"
          value={values.hour}
          onChange={(event) => change({ hour: event.target.value })}
        >
          {Array.from({ length: 24 }, (_each, hour) => (
            <option key={hourWords(hour)} value={hour}>
              {hourWords(hour)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Time zone"
          value={values.timezone}
          onChange={(event) => change({ timezone: event.target.value })}
        >
          {zonesWith(values.timezone).map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </SelectField>
      </div>
      <ActionError error={save.error} />
      <Actions>
        <Button kind="primary" type="submit" isBusy={save.isPending}>
          {stored === null ? 'Create report' : 'Save report'}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </Actions>
    </form>
  );
}

const WAY_WORDS: Readonly<Record<ReportValues['way'], string>> = {
  email: 'E-mail',
  slack_destination: 'Slack channel',
  slack_url: 'Slack, by webhook address',
};

function waysOf(stored: WeeklyReportChannel): ReportValues['way'][] {
  return stored.channel === 'email' ? ['email'] : ['slack_destination', 'slack_url'];
}

function configOf({ way, to, destinationId, url }: ReportValues): ReportConfigRequest {
  if (way === 'email') return { to: addressesIn(to) };
  return way === 'slack_url' ? { webhook_url: url.trim() } : { slack_destination_id: destinationId };
}

function zonesWith(chosen: string): string[] {
  const zones = Intl.supportedValuesOf('timeZone');
  return ['UTC', ...(chosen === 'UTC' || zones.includes(chosen) ? [] : [chosen]), ...zones];
}
