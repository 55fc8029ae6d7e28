import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../../../server/test/lanes/test-files.ts';

/** The project that the demo made, and tokens that read it and send to it. */
export interface DemoProject {
  projectId: string;
  memberToken: string;
  projectToken: string;
}

/** The projects of the demo, by the name of their data. */
const DEMO_PROJECTS: ReadonlyMap<string, string> = new Map([
  ['shop', 'Demo shop'],
  ['busy', 'Busy shop'],
]);

/** Runs the demo against a service, as a person would in another terminal. */
export async function runDemo(
  service: { url: string; port: number; dataDir: string },
  data: string,
): Promise<DemoProject> {
  const environment = {
    ...process.env,
    CULPRIT_BASE_URL: service.url,
    CULPRIT_PORT: String(service.port),
    CULPRIT_DATA_DIR: service.dataDir,
  };
  await run([join(ROOT, 'demo/run.ts'), '--data', data], environment);
  const admin = join(ROOT, 'packages/server/src/admin/main.ts');
  const made: unknown = JSON.parse(
    await run(
      [
        admin,
        'bootstrap',
        '--email',
        'demo@example.test',
        '--project',
        DEMO_PROJECTS.get(data) ?? '',
        '--json',
      ],
      environment,
    ),
  );
  const fields = new Map(Object.entries(Object(made)));
  const text = (name: string) => String(fields.get(name));
  return {
    projectId: text('project_id'),
    memberToken: text('member_token'),
    projectToken: text('project_token'),
  };
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
}
