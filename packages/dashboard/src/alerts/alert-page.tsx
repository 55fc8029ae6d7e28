import { testAlert } from '@culprit/contract/alerts/alert-deliveries';
import { listRuleVerdicts } from '@culprit/contract/alerts/alert-verdicts';
import { type Alert, createAlert, deleteAlert, updateAlert } from '@culprit/contract/alerts/alerts';
import type { Service } from '@culprit/contract/incidents/services';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { alertsQuery } from '../api/alerts.ts';
import { problemText } from '../api/problem-words.ts';
import { servicesQuery } from '../api/projects.ts';
import { slackDestinationsQuery } from '../api/slack.ts';
import { trackersQuery } from '../api/trackers.ts';
import { call, codeOf } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ActionError } from '../shell/parts/action-error.tsx';
import { ChangedByOthers, fieldsChanged } from '../shell/parts/changed-by-others.tsx';
import { ConfirmButton } from '../shell/parts/confirmed-action.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { useDraft } from '../shell/parts/use-draft.ts';
import { VerdictTable } from '../shell/parts/verdict-table.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField } from '../ui/fields/field.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { Notice } from '../ui/notice.tsx';
import { AlertDeliveries } from './alert-deliveries.tsx';
import styles from './alert-form.module.css';
import { AlertFields } from './alert-form.tsx';
import { AlertEffect } from './alert-preview.tsx';
import { type AlertValues, NEW_ALERT, newAlertOf, patchOf, spokenRuleOf, valuesOf } from './alert-values.ts';
import { alertDeliveriesQuery, keepAlert } from './alerts-query.ts';

const PARENT = { to: 'alerts', label: 'Alerts' } as const;

export function NewAlertPage() {
  return (
    <ProjectScreen title="New alert rule" parent={PARENT}>
      {(project) => <AlertEditor project={project} stored={null} />}
    </ProjectScreen>
  );
}

/** A rule, what it does, and what it sent. */
export function AlertPage() {
  const { alertId = '' } = useParams({ strict: false });
  return (
    <ProjectScreen title="Alert rule" parent={PARENT}>
      {(project) => <StoredAlert key={alertId} project={project} alertId={alertId} />}
    </ProjectScreen>
  );
}

function StoredAlert({ project, alertId }: { project: Project; alertId: string }) {
  const { data, error, refetch } = useQuery(alertsQuery(project.project_id));
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={4} />;
  const alert = data.find(({ alert_id: id }) => id === alertId);
  if (alert === undefined) {
    return (
      <Notice
        title="This rule does not exist, or you cannot see it."
        action={
          <Link className={link.link} to={pathTo('alerts', { pid: project.project_id })}>
            All rules
          </Link>
        }
      />
    );
  }
  return (
    <>
      <AlertEditor project={project} stored={alert} />
      <AlertDeliveries alert={alert} />
      <section className={styles.section}>
        <h2>Latest decisions</h2>
        <VerdictTable
          endpoint={listRuleVerdicts}
          id={alertId}
          pid={project.project_id}
          empty={<p className={styles.soft}>No incident opened, regressed or spiked in the last 30 days.</p>}
        />
      </section>
    </>
  );
}

const FIELD_WORDS = {
  condition_type: 'condition',
  severity_lifecycle_scope: 'scope',
  threshold_count: 'threshold',
  window_minutes: 'window',
  threshold_users: 'threshold',
  name: 'name',
  service_id: 'service',
  services: 'services',
  environments: 'environments',
  query: 'query',
  severity_min: 'severity',
  channel: 'channel',
  config: 'target',
  cooldown_seconds: 'quiet time',
  is_enabled: 'on or off',
} as const;

/** Never written to a draft: with one of them anyone can post to the channel. */
const SECRETS = ['url', 'token', 'headers'] as const;

/** The form, once the services are there: their buttons would push everything below them down. */
function AlertEditor({ project, stored }: { project: Project; stored: Alert | null }) {
  const { data: services, isPending } = useQuery(servicesQuery(project.project_id));
  if (isPending) return <SkeletonRows rows={6} />;
  return <Editor project={project} stored={stored} services={services ?? []} />;
}

function Editor({
  project,
  stored,
  services,
}: {
  project: Project;
  stored: Alert | null;
  services: readonly Service[];
}) {
  const pid = project.project_id;
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [loaded, setLoaded] = useState(stored);
  const [theirs, setTheirs] = useState<Alert | null>(null);
  const form = useForm<AlertValues>({ defaultValues: stored === null ? NEW_ALERT : valuesOf(stored) });
  const draft = useDraft(form, SECRETS);
  const { data: destinations = [] } = useQuery(slackDestinationsQuery(pid));
  const { isDirty, dirtyFields } = form.formState;
  const values = form.watch();
  const { data: trackers = [] } = useQuery({ ...trackersQuery(pid), enabled: values.way === 'tracker' });

  function begin(alert: Alert): void {
    keepAlert(alert);
    setLoaded(alert);
    setTheirs(null);
    form.reset(valuesOf(alert));
    draft.forget();
  }

  const save = useMutation({
    mutationFn: async ({ input, isSure }: { input: AlertValues; isSure: boolean }) => {
      if (loaded === null) return await call(createAlert, { body: newAlertOf(input, pid) });
      const now = isSure ? loaded : await readAgain(loaded);
      if (now.updated_at !== loaded.updated_at) return { changed: now };
      const params = { id: loaded.alert_id };
      return await call(updateAlert, { params, body: patchOf(input, dirtyFields) });
    },
    onSuccess: async (answer) => {
      if ('changed' in answer) {
        setTheirs(answer.changed);
        return;
      }
      begin(answer.alert);
      showToast(loaded === null ? 'Rule created' : 'Saved');
      if (loaded !== null) return;
      await queryClient.invalidateQueries(alertsQuery(pid));
      await navigate({ to: pathTo('alert', { pid, alertId: answer.alert.alert_id }) });
    },
  });

  async function readAgain(before: Alert): Promise<Alert> {
    const alerts = await queryClient.fetchQuery({ ...alertsQuery(pid), staleTime: 0 });
    return alerts.find(({ alert_id: id }) => id === before.alert_id) ?? before;
  }

  return (
    <form
      className={styles.form}
      aria-label="Alert rule"
      noValidate
      onSubmit={form.handleSubmit((input) => {
        if (!save.isPending) save.mutate({ input, isSure: false });
      })}
    >
      <AlertFields
        form={form}
        stored={loaded}
        project={project}
        services={services}
        destinations={destinations}
      />
      <AlertEffect
        project={project}
        values={values}
        rule={spokenRuleOf(values, loaded, { services, destinations, trackers })}
      />
      <ActionError error={save.error} />
      <div className={styles.foot}>
        <Button
          kind="primary"
          type="submit"
          isBusy={save.isPending}
          refusal={loaded === null || isDirty ? null : 'Nothing was changed'}
        >
          {loaded === null ? 'Create rule' : 'Save rule'}
        </Button>
        {isDirty && loaded !== null && <Button onClick={draft.discard}>Discard changes</Button>}
        {loaded !== null && <TestButton alert={loaded} isDirty={isDirty} />}
        <CheckField {...form.register('isEnabled')} label="Enabled" />
        {loaded !== null && <DeleteRule alert={loaded} onDeleted={draft.forget} />}
      </div>
      <ChangedByOthers
        fields={theirs === null || loaded === null ? null : fieldsChanged(loaded, theirs, FIELD_WORDS)}
        isBusy={save.isPending}
        onSave={() => save.mutate({ input: form.getValues(), isSure: true })}
        onTakeTheirs={() => theirs !== null && begin(theirs)}
        onClose={() => setTheirs(null)}
      />
    </form>
  );
}

function TestButton({ alert, isDirty }: { alert: Alert; isDirty: boolean }) {
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: async () => call(testAlert, { params: { id: alert.alert_id } }),
    onSuccess: async () => {
      showToast('Test sent. The result appears below.');
      await queryClient.invalidateQueries(alertDeliveriesQuery(alert.alert_id));
    },
    onError: (error) => {
      const isUsedUp = codeOf(error) === 'monthly_quota_exceeded';
      showToast(isUsedUp ? "This month's messages are used up." : problemText(error));
    },
  });
  const refusal = isDirty ? 'Save the rule first' : alert.is_enabled ? null : 'A disabled rule sends nothing';
  return (
    <Button isBusy={test.isPending} refusal={refusal} onClick={() => test.mutate()}>
      Send a test
    </Button>
  );
}

function DeleteRule({ alert, onDeleted }: { alert: Alert; onDeleted: () => void }) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete rule"
      title="Delete this rule?"
      verb="Delete the rule"
      run={() => call(deleteAlert, { params: { id: alert.alert_id } })}
      done="Deleted the rule"
      onDone={async () => {
        onDeleted();
        await navigate({ to: pathTo('alerts', { pid: alert.project_id }) });
      }}
      rereads={alertsQuery(alert.project_id)}
    >
      <p>Pending messages are not sent, and its message history is no longer available.</p>
    </ConfirmButton>
  );
}
