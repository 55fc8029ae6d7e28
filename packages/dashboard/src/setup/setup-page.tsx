import type { ServerDescription } from '@culprit/contract/endpoints/server';
import {
  FOREIGN_PLATFORMS,
  OWN_PLATFORMS,
  PLATFORMS,
  type Platform,
  type SetupPlace,
} from '@culprit/contract/setup/setup-platforms';
import type { Project } from '@culprit/contract/workspace/projects';
import { type CreatedProjectToken, createProjectToken } from '@culprit/contract/workspace/tokens';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { defaultKeyOf, dsnKeysQuery } from '../api/dsn-keys.ts';
import { problemText } from '../api/problem-words.ts';
import { serverQuery, useFeature } from '../api/server.ts';
import { call } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import linkStyles from '../shell/parts/link.module.css';
import { PartError } from '../shell/parts/part-error.tsx';
import { SampleDataButton } from '../shell/parts/sample-data.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { agentPrompt } from './agent-prompt.ts';
import { Arrival } from './arrival.tsx';
import { newProject } from './new-project.ts';
import { NextSteps } from './next-steps.tsx';
import styles from './setup-page.module.css';

const LOOK_EVERY_MS = 2000;
/** The logos of the tiles; a platform without one has its first letters. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ curl: '$_', node: 'JS', next: 'N', browser: '<>', opentelemetry: 'OT' },
  ...{ 'sentry-javascript': 'JS', 'sentry-react-native': 'RN', 'sentry-rust': 'Rs' },
};

/** The steps from an application to its first incident, and what comes next. */
export function SetupPage() {
  // Packages are built beside the first start.
  const { data: server } = useQuery({
    ...serverQuery,
    refetchInterval: ({ state }) => (isBuilding(state.data) ? LOOK_EVERY_MS : false),
  });
  return (
    <ProjectScreen title="Setup" intro="Connect an application and see its first event.">
      {(project) => server !== undefined && <Steps project={project} server={server} />}
    </ProjectScreen>
  );
}

function isBuilding(server: ServerDescription | undefined): boolean {
  return server !== undefined && server.packages === null && server.features.includes('packages');
}

function Steps({ project, server }: { project: Project; server: ServerDescription }) {
  const { project_id: projectId } = project;
  const { from } = useSearch({ strict: false });
  const platform = PLATFORMS.find(({ id }) => id === from) ?? PLATFORMS[0];
  const [origins, setOrigins] = useState('http://localhost:3000');
  // One token for all servers, and one for pages, whose token is limited to their origins.
  const forServers = useNewToken(projectId, null);
  const forPages = useNewToken(projectId, origins);
  const keys = useQuery({ ...dsnKeysQuery(projectId), enabled: useFeature('dsn_keys') });
  if (platform === undefined) return null;
  const { token, problem, make } = platform.credential === 'page-token' ? forPages : forServers;
  const key = defaultKeyOf(keys.data);
  const place: SetupPlace = {
    token: token?.plaintext ?? '',
    dsn: key?.dsn ?? '',
    baseUrl: server.base_url,
    packages: server.packages,
  };
  const isOfDsn = platform.credential === 'dsn';
  const canSend = isOfDsn ? key !== undefined : token !== null;
  const steps = platform.steps(place);
  const install = steps.slice(0, -1);
  const test = steps.at(-1);
  return (
    <ol className={styles.steps}>
      <Step title="Choose a platform">
        <Platforms chosen={platform} />
      </Step>
      <Step title="Install and configure">
        {canSend && (
          <>
            {install.map((step) => (
              <div key={step.title} className={styles.line}>
                <h3>{step.title}</h3>
                <CodeBlock label={step.title.toLowerCase()} code={step.code} isWrapped />
                {step.note !== undefined && <p className={styles.note}>{step.note}</p>}
              </div>
            ))}
            {install.length === 0 && <p>Nothing to install.</p>}
            <div className={styles.foot}>
              <CopyButton
                label="Copy as a prompt for your coding agent"
                text={() => agentPrompt(platform, place, project.name)}
              />
              <p className={styles.note}>
                {isOfDsn
                  ? 'The address is public and can only send. For web pages, create a key with their origins under Tokens.'
                  : "Token created for this page. Copy it now. You won't see it again. It can only send events."}
              </p>
            </div>
          </>
        )}
        {isOfDsn && keys.data !== undefined && !canSend && (
          <p>
            The project has no active DSN key.{' '}
            <Link className={linkStyles.link} to={pathTo('tokens', { pid: projectId })} hash="dsn-keys">
              Create one
            </Link>
          </p>
        )}
        {isOfDsn && keys.isError && <PartError error={keys.error} retry={() => void keys.refetch()} />}
        {!isOfDsn && token === null && (
          <>
            {platform.credential === 'page-token' && (
              <TextField
                className={styles.origins}
                label="Origins of your pages"
                hint="The token in a page is public. Only pages of these origins can use it."
                value={origins}
                onChange={(event) => setOrigins(event.target.value)}
              />
            )}
            <Button kind="primary" onClick={make}>
              Create token
            </Button>
            {problem !== null && <p role="alert">{problem}</p>}
          </>
        )}
      </Step>
      {canSend && test !== undefined && (
        <Step title={test.title}>
          <CodeBlock label={test.title.toLowerCase()} code={test.code} isWrapped />
        </Step>
      )}
      <Step title="See its incident">
        <Arrival
          projectId={projectId}
          tokenId={(isOfDsn ? key?.token_id : token?.token_id) ?? null}
          isOfDsn={isOfDsn}
        />
        <p className={styles.note}>
          To try Culprit without an application, add the failures of a sample shop. They send no alerts, do
          not count toward your plan, and can be removed at any time.
        </p>
        <SampleDataButton projectId={projectId} />
      </Step>
      <Step title="Next">
        <NextSteps project={project} />
      </Step>
    </ol>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className={styles.step}>
      <h2>{title}</h2>
      {children}
    </li>
  );
}

function Platforms({ chosen }: { chosen: Platform }) {
  return (
    <>
      <Tiles label="Platform" platforms={OWN_PLATFORMS} chosen={chosen} />
      <h3>Or keep your current library and change its address</h3>
      <Tiles label="Current library" platforms={FOREIGN_PLATFORMS} chosen={chosen} />
    </>
  );
}

function Tiles({
  label,
  platforms,
  chosen,
}: {
  label: string;
  platforms: readonly Platform[];
  chosen: Platform;
}) {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <div className={styles.platforms} role="tablist" aria-label={label}>
      {platforms.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === chosen.id}
          onClick={() =>
            void navigate({
              to: '.',
              params: { pid },
              search: id === PLATFORMS[0]?.id ? {} : { from: id },
              replace: true,
            })
          }
        >
          <span className={styles.letters} aria-hidden="true">
            {LETTERS[id] ?? name.replace('Sentry for ', '').slice(0, 2)}
          </span>
          {name}
        </button>
      ))}
    </div>
  );
}

/** Creates a token and keeps it in the memory of this screen; for a new project it is created by itself. */
function useNewToken(projectId: string, origins: string | null) {
  const [token, setToken] = useState<CreatedProjectToken | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const make = useCallback(() => {
    setProblem(null);
    const body = {
      label: 'First token',
      ...(origins === null
        ? {}
        : { allowed_origins: origins.split(/[\s,]+/).filter((origin) => origin !== '') }),
    };
    call(createProjectToken, { params: { id: projectId }, body }).then(
      ({ token: made }) => setToken(made),
      (error: unknown) => setProblem(problemText(error)),
    );
  }, [projectId, origins]);
  useEffect(() => {
    if (newProject.get() !== projectId || origins !== null) return;
    newProject.set(null);
    make();
  }, [projectId, origins, make]);
  return { token, problem, make };
}
