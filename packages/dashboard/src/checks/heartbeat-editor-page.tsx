import {
  createHeartbeat,
  HEARTBEAT_DEFAULTS,
  type Heartbeat,
  listHeartbeats,
  updateHeartbeat,
} from '@culprit/contract/monitor/heartbeats';
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
import { HeartbeatForm } from './heartbeat-form.tsx';
import { bodyFrom, type HeartbeatValues, slugOf, valuesOf } from './heartbeat-values.ts';
import { heartbeatQuery } from './heartbeats-queries.ts';

const LIST = { to: 'heartbeats', label: 'Heartbeats' } as const;

/** A new heartbeat. */
export function NewHeartbeatPage() {
  return (
    <ProjectScreen title="New heartbeat" parent={LIST}>
      {(project) => (
        <AdminsOnly project={project} things="heartbeats">
          <NewHeartbeat project={project} />
        </AdminsOnly>
      )}
    </ProjectScreen>
  );
}

/** A heartbeat that is changed. */
export function EditHeartbeatPage() {
  const { pid = '', heartbeatId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(heartbeatQuery({ id: pid, heartbeatId }));
  return (
    <ProjectScreen
      title={data === undefined ? 'Edit the heartbeat' : `Edit ${visibleLine(data.heartbeat.name)}`}
      parent={LIST}
    >
      {(project) => (
        <AdminsOnly project={project} things="heartbeats">
          {data === undefined && <LoadingPart error={error} retry={refetch} rows={6} />}
          {data !== undefined && <EditHeartbeat pid={project.project_id} heartbeat={data.heartbeat} />}
        </AdminsOnly>
      )}
    </ProjectScreen>
  );
}

function NewHeartbeat({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const pid = project.project_id;
  const create = useMutation({
    mutationFn: async (values: HeartbeatValues) => {
      const named = { slug: slugOf(values), environment: values.environment.trim() };
      const body = { ...named, ...bodyFrom(values) };
      return (await call(createHeartbeat, { params: { id: pid }, body })).heartbeat;
    },
    onSuccess: async ({ heartbeat_id: heartbeatId }) => {
      showToast('Heartbeat created');
      await navigate({ to: pathTo('heartbeat', { pid, heartbeatId }) });
      await queryClient.invalidateQueries({ queryKey: [listHeartbeats.id] });
    },
  });
  return (
    <HeartbeatForm
      verb="Create heartbeat"
      isNew
      start={{
        name: '',
        slug: '',
        environment: project.environment_default,
        kind: 'crontab',
        crontab: '0 3 * * *',
        every: 1,
        unit: 'hour',
        service: '',
        ...HEARTBEAT_DEFAULTS,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || HEARTBEAT_DEFAULTS.timezone,
      }}
      save={create}
      onCancel={() => void navigate({ to: pathTo('heartbeats', { pid }) })}
    />
  );
}

function EditHeartbeat({ pid, heartbeat: stored }: { pid: string; heartbeat: Heartbeat }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { heartbeat_id: heartbeatId } = stored;
  const ids = { id: pid, heartbeatId };
  const { record, save, question } = useCarefulSave({
    stored,
    words: FIELD_WORDS,
    read: async () => (await queryClient.fetchQuery({ ...heartbeatQuery(ids), staleTime: 0 })).heartbeat,
    async write(heartbeat, values: HeartbeatValues) {
      const body = changesBetween(bodyFrom(valuesOf(heartbeat)), bodyFrom(values));
      await call(updateHeartbeat, { params: ids, body });
      showToast('Saved');
      await queryClient.invalidateQueries(heartbeatQuery(ids));
      await navigate({ to: pathTo('heartbeat', { pid, heartbeatId }) });
      await queryClient.invalidateQueries({ queryKey: [listHeartbeats.id] });
    },
  });
  return (
    <>
      <HeartbeatForm
        key={record.updated_at}
        verb="Save heartbeat"
        isNew={false}
        start={valuesOf(record)}
        save={save}
        onCancel={() => void navigate({ to: pathTo('heartbeat', { pid, heartbeatId }) })}
      />
      {question}
    </>
  );
}

const FIELD_WORDS = {
  name: 'name',
  schedule: 'schedule',
  timezone: 'time zone',
  margin_minutes: 'minutes until it is late',
  max_runtime_minutes: 'longest run',
  failure_threshold: 'failures until it fails',
  recovery_threshold: 'successes until it recovers',
  service_name: 'service',
  enabled: 'enabled',
} satisfies Partial<Record<keyof Heartbeat, string>>;
