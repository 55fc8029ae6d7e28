import { deactivateProbe, type ProbeActivation } from '@culprit/contract/capture/probes';
import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { policyQuery } from '../api/capture-policy.ts';
import { useFeature } from '../api/server.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { absoluteTime } from '../format/times.ts';
import { PATTERNS, pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { ConfirmedAction } from '../shell/parts/confirmed-action.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { SecretDialog } from '../ui/layers/secret-dialog.tsx';
import { RecordLine, RecordList } from '../ui/lists/record-list.tsx';
import { Notice } from '../ui/notice.tsx';
import { patternWords } from './label-pattern.ts';
import { NewProbeDialog } from './new-probe-dialog.tsx';
import { ProbeResults } from './probe-results.tsx';
import styles from './probes.module.css';
import { probesQuery } from './probes-query.ts';

const route = getRouteApi(`/frame${PATTERNS.probes}`);

/** The screen of active probes and their results. */
export function ProbesPage() {
  const { new: isMaking } = route.useSearch();
  const navigate = useNavigate();
  const open = (isOpen: boolean) =>
    void navigate({ to: '.', search: isOpen ? { new: '1' } : {}, replace: true });
  useShortcuts('Probes', [{ keys: 'n', label: 'Enable a probe', run: () => open(true) }]);
  return (
    <ProjectScreen
      title="Probes"
      intro="A probe logs values in your code while it is enabled, or for one request with its trigger token."
      actions={() => (
        <Button kind="primary" keys="N" onClick={() => open(true)}>
          Enable a probe
        </Button>
      )}
    >
      {(project) => <Probes project={project} isMaking={isMaking !== undefined} onMaking={open} />}
    </ProjectScreen>
  );
}

function Probes({
  project,
  isMaking,
  onMaking,
}: {
  project: Project;
  isMaking: boolean;
  onMaking: (isOpen: boolean) => void;
}) {
  const pid = project.project_id;
  const { data, error, refetch } = useQuery(probesQuery(pid));
  const hasResults = useFeature('probe_results');
  const [token, setToken] = useState<string | null>(null);
  const [stopping, setStopping] = useState<ProbeActivation | null>(null);
  return (
    <>
      <BuffersOnly projectId={pid} />
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={2} height="64px" />}
      {data?.length === 0 && (
        <Notice
          title="No active probes."
          action={<Button onClick={() => onMaking(true)}>Enable a probe</Button>}
        />
      )}
      {data !== undefined && data.length > 0 && (
        <RecordList label="Active probes">
          {data.map((probe) => (
            <ProbeLine key={probe.activation_id} probe={probe} onStop={() => setStopping(probe)} />
          ))}
        </RecordList>
      )}
      {hasResults && <ProbeResults projectId={pid} isActive={(data?.length ?? 0) > 0} />}
      <NewProbeDialog
        projectId={pid}
        isOpen={isMaking}
        onClose={() => onMaking(false)}
        onMade={(made) => {
          onMaking(false);
          setToken(made);
        }}
      />
      <TriggerToken token={token} onStored={() => setToken(null)} />
      <StopDialog projectId={pid} probe={stopping} onClose={() => setStopping(null)} />
    </>
  );
}

/** The policy decides what becomes of results outside of exceptions. */
function BuffersOnly({ projectId }: { projectId: string }) {
  const { data } = useQuery(policyQuery(projectId));
  if (data?.policy.capture_probe_events !== 'buffer_only') return null;
  return (
    <p className={styles.warning}>
      Event filters keep results only with exceptions. Other results are filtered.{' '}
      <Link className={link.link} to={pathTo('capture', { pid: projectId })}>
        Change event filters
      </Link>
    </p>
  );
}

function ProbeLine({ probe, onStop }: { probe: ProbeActivation; onStop: () => void }) {
  const { label_pattern: pattern, service, environment, expires_at: end, activated_by: who } = probe;
  return (
    <RecordLine
      title={
        <>
          <code translate="no">{visibleLine(pattern)}</code>{' '}
          <span className={styles.soft}>{visibleLine(patternWords(pattern))}</span>
        </>
      }
      facts={
        <>
          <span>
            ends <Time iso={end} form="relative" />
          </span>
          <span translate="no">{service === '*' ? 'every service' : visibleLine(service)}</span>
          <span translate="no">{environment === '*' ? 'every environment' : visibleLine(environment)}</span>
          {who !== null && <span translate="no">by {visibleLine(who)}</span>}
        </>
      }
      controls={<Button onClick={onStop}>Disable probe</Button>}
    />
  );
}

function TriggerToken({ token, onStored }: { token: string | null; onStored: () => void }) {
  return (
    <SecretDialog
      title="The trigger token"
      secret={token}
      onStored={onStored}
      note="Copy it now. You won't see it again. While it is valid, it triggers the probe for one request or for a page in a browser. It grants no access."
    >
      {token !== null && (
        <>
          <h3>Send it as a request header</h3>
          <CodeBlock code={`X-Service-Probe-Trigger: ${token}`} label="header" isWrapped />
          <h3>In a browser, append it to the address</h3>
          <CodeBlock code={`_debug_probe=${token}`} label="parameter" isWrapped />
        </>
      )}
    </SecretDialog>
  );
}

function StopDialog({
  projectId,
  probe,
  onClose,
}: {
  projectId: string;
  probe: ProbeActivation | null;
  onClose: () => void;
}) {
  return (
    <ConfirmedAction
      item={probe}
      title={`Disable ${visibleLine(probe?.label_pattern ?? '')}?`}
      verb="Disable probe"
      run={({ activation_id: activationId }) =>
        call(deactivateProbe, { params: { id: projectId }, body: { activation_id: activationId } })
      }
      done="Disabled"
      rereads={probesQuery(projectId)}
      onClose={onClose}
    >
      <p>
        Libraries stop the next time they read the configuration. Trigger tokens already issued work until{' '}
        {probe === null ? '' : absoluteTime(probe.trigger_expires_at)}.
      </p>
    </ConfirmedAction>
  );
}
