import {
  type AvailabilityCheck,
  CHECK_DEFAULTS,
  createAvailabilityCheck,
  listAvailabilityChecks,
  updateAvailabilityCheck,
} from '@culprit/contract/monitor/availability-checks';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { changesBetween } from '../shell/parts/changed-by-others.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { AdminsOnly, useCarefulSave } from './careful-save.tsx';
import { CheckForm } from './check-form.tsx';
import type { CheckValues } from './check-values.ts';
import { checkQuery } from './checks-queries.ts';

const LIST = { to: 'checks', label: 'Uptime' } as const;
const INTERVAL_SUGGESTED = 60;

/** The screen that creates a check. */
export function NewCheckPage() {
  return (
    <ProjectScreen title="New check" parent={LIST}>
      {(project) => (
        <AdminsOnly project={project} things="checks">
          <NewCheck project={project} />
        </AdminsOnly>
      )}
    </ProjectScreen>
  );
}

/** The screen that changes a check. */
export function EditCheckPage() {
  const { pid = '', checkId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(checkQuery({ id: pid, checkId }));
  return (
    <ProjectScreen
      title={data === undefined ? 'Edit the check' : `Edit ${visibleLine(data.check.name)}`}
      parent={LIST}
    >
      {(project) => (
        <AdminsOnly project={project} things="checks">
          {data === undefined && <LoadingPart error={error} retry={refetch} rows={6} />}
          {data !== undefined && <EditCheck project={project} checkId={checkId} check={data.check} />}
        </AdminsOnly>
      )}
    </ProjectScreen>
  );
}

function NewCheck({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const pid = project.project_id;
  const create = useMutation({
    mutationFn: async (values: CheckValues) =>
      (await call(createAvailabilityCheck, { params: { id: pid }, body: bodyFrom(values) })).check,
    onSuccess: async (check) => {
      showToast('The check runs');
      await navigate({ to: pathTo('check', { pid, checkId: check.check_id }) });
      await queryClient.invalidateQueries({ queryKey: [listAvailabilityChecks.id] });
    },
  });
  return (
    <CheckForm
      projectId={pid}
      verb="Create check"
      start={{
        name: '',
        url: '',
        method: CHECK_DEFAULTS.method,
        statusMin: CHECK_DEFAULTS.expectedStatusMin,
        statusMax: CHECK_DEFAULTS.expectedStatusMax,
        timeoutMs: CHECK_DEFAULTS.timeoutMs,
        intervalSeconds: INTERVAL_SUGGESTED,
        failureThreshold: CHECK_DEFAULTS.failureThreshold,
        recoveryThreshold: CHECK_DEFAULTS.recoveryThreshold,
        environment: project.environment_default,
        service: '',
      }}
      save={create}
      onCancel={() => void navigate({ to: pathTo('checks', { pid }) })}
    />
  );
}

function EditCheck({
  project,
  checkId,
  check: stored,
}: {
  project: Project;
  checkId: string;
  check: AvailabilityCheck;
}) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const pid = project.project_id;
  const ids = { id: pid, checkId };
  const { record, save, question } = useCarefulSave({
    stored,
    words: FIELD_WORDS,
    read: async () => (await queryClient.fetchQuery({ ...checkQuery(ids), staleTime: 0 })).check,
    async write(check, values: CheckValues) {
      const body = changesBetween(bodyFrom(valuesOf(check)), bodyFrom(values));
      await call(updateAvailabilityCheck, { params: ids, body });
      showToast('Saved');
      await queryClient.invalidateQueries(checkQuery(ids));
      await navigate({ to: pathTo('check', { pid, checkId }) });
      await queryClient.invalidateQueries({ queryKey: [listAvailabilityChecks.id] });
    },
  });
  return (
    <>
      <CheckForm
        key={record.updated_at}
        projectId={pid}
        verb="Save check"
        start={valuesOf(record)}
        save={save}
        onCancel={() => void navigate({ to: pathTo('check', { pid, checkId }) })}
      />
      {question}
    </>
  );
}

const FIELD_WORDS = {
  name: 'name',
  url: 'address',
  method: 'method',
  expected_status_min: 'lowest status',
  expected_status_max: 'highest status',
  timeout_ms: 'time limit',
  interval_seconds: 'interval',
  failure_threshold: 'failures until it fails',
  recovery_threshold: 'successes until it recovers',
  environment: 'environment',
  service_name: 'service',
  enabled: 'enabled',
} satisfies Partial<Record<keyof AvailabilityCheck, string>>;

function bodyFrom(values: CheckValues) {
  const service = values.service.trim();
  return {
    name: values.name.trim(),
    url: values.url.trim(),
    method: values.method,
    expected_status_min: values.statusMin,
    expected_status_max: values.statusMax,
    timeout_ms: values.timeoutMs,
    interval_seconds: values.intervalSeconds,
    failure_threshold: values.failureThreshold,
    recovery_threshold: values.recoveryThreshold,
    environment: values.environment.trim(),
    service_name: service === '' ? null : service,
  };
}

function valuesOf(check: AvailabilityCheck): CheckValues {
  return {
    name: check.name,
    url: check.url,
    method: check.method,
    statusMin: check.expected_status_min,
    statusMax: check.expected_status_max,
    timeoutMs: check.timeout_ms,
    intervalSeconds: check.interval_seconds,
    failureThreshold: check.failure_threshold,
    recoveryThreshold: check.recovery_threshold,
    environment: check.environment,
    service: check.service_name ?? '',
  };
}
