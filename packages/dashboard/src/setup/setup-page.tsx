import { type CreatedProjectToken, createProjectToken } from '@culprit/contract/tokens';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { serverQuery } from '../api/server.ts';
import { bodyOf, client } from '../api/transport.ts';
import { ProjectScreen } from '../shell/project-screen.tsx';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { TextField } from '../ui/field.tsx';
import { Arrival } from './arrival.tsx';
import { newProject } from './new-project.ts';
import { PLATFORMS, type Platform } from './platforms.ts';
import styles from './setup-page.module.css';

const [CURL] = PLATFORMS;

/** The first event: what to run, whether it arrived, what became of it. */
export function SetupPage() {
  const { from } = useSearch({ strict: false });
  const platform = PLATFORMS.find(({ id }) => id === from) ?? CURL;
  return (
    <ProjectScreen
      title="Send the first event"
      intro="Waiting for your first event. Its incident appears here."
    >
      {({ project_id: projectId }) =>
        platform === undefined ? null : <Steps key={platform.id} projectId={projectId} platform={platform} />
      }
    </ProjectScreen>
  );
}

function Steps({ projectId, platform }: { projectId: string; platform: Platform }) {
  const { pid = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data: server } = useQuery(serverQuery);
  const [origins, setOrigins] = useState('http://localhost:3000');
  const { token, problem, make } = useNewToken(projectId, platform.isBrowser ? origins : null);
  const place = { token: token?.plaintext ?? '', baseUrl: server?.base_url ?? location.origin };
  return (
    <div className={styles.steps}>
      <div className={styles.platforms} role="tablist" aria-label="Send an event from">
        {PLATFORMS.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={id === platform.id}
            onClick={() =>
              void navigate({
                to: '.',
                params: { pid },
                search: id === CURL?.id ? {} : { from: id },
                replace: true,
              })
            }
          >
            {name}
          </button>
        ))}
      </div>
      {token === null ? (
        <div className={styles.step}>
          {platform.isBrowser && (
            <TextField
              className={styles.origins}
              label="Origins of your pages"
              hint="A page's token is public. These are the only pages it may be used from."
              value={origins}
              onChange={(event) => setOrigins(event.target.value)}
            />
          )}
          <Button kind="primary" onClick={make}>
            Create token
          </Button>
          {problem !== null && <p role="alert">{problem}</p>}
        </div>
      ) : (
        <>
          {platform.steps(place).map(({ title, code }) => (
            <div key={title} className={styles.step}>
              <h2>{title}</h2>
              <CodeBlock label={title.toLowerCase()} code={code} />
            </div>
          ))}
          <p className={styles.note}>
            Copy the token now. You won't see it again. It can send events and nothing else.
          </p>
        </>
      )}
      <div className={styles.step}>
        <h2>See its incident</h2>
        <Arrival projectId={projectId} tokenId={token?.token_id ?? null} />
      </div>
      <p className={styles.note}>
        No application at hand? <code>npm run demo</code> on the server sends a small shop's failures.
      </p>
    </div>
  );
}

/** Makes a token and keeps it in the memory of this screen; for a new project without being asked. */
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
