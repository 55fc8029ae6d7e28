import type { Project } from '@culprit/contract/projects';
import { type CreatedProjectToken, createProjectToken } from '@culprit/contract/tokens';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { serverQuery } from '../api/server.ts';
import { bodyOf, client } from '../api/transport.ts';
import { ProjectScreen } from '../shell/project-screen.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { TextField } from '../ui/field.tsx';
import { Arrival } from './arrival.tsx';
import { newProject } from './new-project.ts';
import { NextSteps } from './next-steps.tsx';
import { agentPrompt, type Platform, platformsOf } from './platforms.ts';
import styles from './setup-page.module.css';

/** The steps from an application to its first incident, and what comes next. */
export function SetupPage() {
  const { data: server } = useQuery(serverQuery);
  return (
    <ProjectScreen title="Setup" intro="Connect an application and see its first event.">
      {(project) =>
        server !== undefined && (
          <Steps project={project} baseUrl={server.base_url} packages={server.packages} />
        )
      }
    </ProjectScreen>
  );
}

function Steps({
  project,
  baseUrl,
  packages,
}: {
  project: Project;
  baseUrl: string;
  packages: Parameters<typeof platformsOf>[0];
}) {
  const { project_id: projectId } = project;
  const { from } = useSearch({ strict: false });
  const platforms = platformsOf(packages);
  const platform = platforms.find(({ id }) => id === from) ?? platforms[0];
  const [origins, setOrigins] = useState('http://localhost:3000');
  // One token for all servers, and one for pages, whose token is limited to their origins.
  const forServers = useNewToken(projectId, null);
  const forPages = useNewToken(projectId, origins);
  if (platform === undefined) return null;
  const { token, problem, make } = platform.isBrowser ? forPages : forServers;
  const place = { token: token?.plaintext ?? '', baseUrl, packages };
  const test = platform.test(place);
  return (
    <ol className={styles.steps}>
      <Step title="Choose a platform">
        <Platforms platforms={platforms} chosen={platform} />
      </Step>
      <Step title="Install and configure">
        {token === null ? (
          <>
            {platform.isBrowser && (
              <TextField
                className={styles.origins}
                label="Origins of your pages"
                hint="The token of a page is public. Only these pages can use it."
                value={origins}
                onChange={(event) => setOrigins(event.target.value)}
              />
            )}
            <Button kind="primary" onClick={make}>
              Create token
            </Button>
            {problem !== null && <p role="alert">{problem}</p>}
          </>
        ) : (
          <>
            {platform.install(place).map(({ title, code }) => (
              <div key={title} className={styles.line}>
                <h3>{title}</h3>
                <CodeBlock label={title.toLowerCase()} code={code} isWrapped />
              </div>
            ))}
            {platform.install(place).length === 0 && <p>Nothing to install.</p>}
            <div className={styles.foot}>
              <CopyButton
                label="Copy as a prompt for your coding agent"
                text={() => agentPrompt(platform, place, project.name)}
              />
              <p className={styles.note}>
                Token created for this page. Copy it now. You won't see it again. It can only send events.
              </p>
            </div>
          </>
        )}
      </Step>
      {token !== null && (
        <Step title="Send a test error">
          <CodeBlock label={test.title.toLowerCase()} code={test.code} isWrapped />
        </Step>
      )}
      <Step title="See its incident">
        <Arrival projectId={projectId} tokenId={token?.token_id ?? null} />
        <p className={styles.note}>
          To try Culprit without an application, run <code>npm run demo</code> on the server.
        </p>
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

function Platforms({ platforms, chosen }: { platforms: readonly Platform[]; chosen: Platform }) {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  return (
    <div className={styles.platforms} role="tablist" aria-label="Platform">
      {platforms.map(({ id, name, letters }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === chosen.id}
          onClick={() =>
            void navigate({
              to: '.',
              params: { pid },
              search: id === platforms[0]?.id ? {} : { from: id },
              replace: true,
            })
          }
        >
          <span className={styles.letters} aria-hidden="true">
            {letters}
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
    bodyOf(client.call(createProjectToken, { params: { id: projectId }, body })).then(
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
