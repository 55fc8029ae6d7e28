import {
  createHeartbeat,
  HEARTBEAT_DEFAULTS,
  type Heartbeat,
  listHeartbeats,
  updateHeartbeat,
} from '@culprit/contract/heartbeats';
import type { Project } from '@culprit/contract/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { pathTo } from '../paths.ts';
import { ChangedMeanwhile, changesBetween, fieldsChanged } from '../shell/changed-meanwhile.tsx';
import { PartError } from '../shell/part-error.tsx';
import { ProjectScreen } from '../shell/project-screen.tsx';
import { refusalFor } from '../shell/roles.ts';
import { showToast } from '../shell/toasts.tsx';
import { Notice } from '../ui/notice.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { HeartbeatForm } from './heartbeat-form.tsx';
import { bodyFrom, type HeartbeatValues, slugOf, valuesOf } from './heartbeat-values.ts';
import { heartbeatQuery } from './heartbeats-queries.ts';

const LIST = { to: 'heartbeats', label: 'Heartbeats' } as const;

/** A new heartbeat. */
export function NewHeartbeatPage() {
  return (
    <ProjectScreen title="New heartbeat" parent={LIST}>
      {(project) => (
        <Allowed project={project}>
          <NewHeartbeat project={project} />
        </Allowed>
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
        <Allowed project={project}>
          {data === undefined && error === null && <SkeletonRows rows={6} />}
          {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
          {data !== undefined && <EditHeartbeat pid={project.project_id} heartbeat={data.heartbeat} />}
        </Allowed>
      )}
    </ProjectScreen>
  );
}

/** The editor, or why this person has none. */
function Allowed({ project, children }: { project: Project; children: ReactNode }) {
  const refusal = refusalFor('admin', project);
  return refusal === null ? (
    children
  ) : (
    <Notice title="Only admins and the owner change heartbeats.">{refusal}</Notice>
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
      return (await bodyOf(client.call(createHeartbeat, { params: { id: pid }, body }))).heartbeat;
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
  // What the editor began with: what is read later must not take the place of what is being typed.
  const [heartbeat, setHeartbeat] = useState(stored);
  const [theirs, setTheirs] = useState<Heartbeat | null>(null);
  const [typed, setTyped] = useState<HeartbeatValues | null>(null);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { heartbeat_id: heartbeatId } = heartbeat;
  const ids = { id: pid, heartbeatId };
  const start = valuesOf(heartbeat);
  const save = useMutation({
    mutationFn: async (values: HeartbeatValues) => {
      const body = changesBetween(bodyFrom(start), bodyFrom(values));
      return (await bodyOf(client.call(updateHeartbeat, { params: ids, body }))).heartbeat;
    },
    onSuccess: async () => {
      showToast('Saved');
      await queryClient.invalidateQueries(heartbeatQuery(ids));
      await navigate({ to: pathTo('heartbeat', { pid, heartbeatId }) });
      await queryClient.invalidateQueries({ queryKey: [listHeartbeats.id] });
    },
  });
  /** Saves, unless it was changed elsewhere since: then that is shown first. */
  const look = useMutation({
    mutationFn: async (values: HeartbeatValues) => {
      const { heartbeat: now } = await queryClient.fetchQuery({ ...heartbeatQuery(ids), staleTime: 0 });
      return { now, values };
    },
    onSuccess: ({ now, values }) => {
      setTyped(values);
      if (fieldsChanged(heartbeat, now, FIELD_WORDS).length > 0) setTheirs(now);
      else save.mutate(values);
    },
  });
  return (
    <>
      <HeartbeatForm
        key={heartbeat.updated_at}
        verb="Save heartbeat"
        isNew={false}
        start={start}
        save={{
          mutate: look.mutate,
          isPending: look.isPending || save.isPending,
          isSuccess: save.isSuccess,
          error: look.error ?? save.error,
        }}
        onCancel={() => void navigate({ to: pathTo('heartbeat', { pid, heartbeatId }) })}
      />
      <ChangedMeanwhile
        fields={theirs === null ? null : fieldsChanged(heartbeat, theirs, FIELD_WORDS)}
        isBusy={save.isPending}
        onSave={() => {
          setTheirs(null);
          if (typed !== null) save.mutate(typed);
        }}
        onTakeTheirs={() => {
          if (theirs !== null) setHeartbeat(theirs);
          setTheirs(null);
        }}
        onClose={() => setTheirs(null)}
      />
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
