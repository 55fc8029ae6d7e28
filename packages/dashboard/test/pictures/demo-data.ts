import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../../../server/test/lanes/test-files.ts';

/** The project that the demo made, and a token that reads it. */
export interface DemoProject {
  projectId: string;
  memberToken: string;
}

/** Runs the demo against a service, as somebody would in another terminal. */
export async function runDemo(service: { url: string; port: number; dataDir: string }): Promise<DemoProject> {
  const environment = {
    ...process.env,
    CULPRIT_BASE_URL: service.url,
    CULPRIT_PORT: String(service.port),
    CULPRIT_DATA_DIR: service.dataDir,
  };
  await run([join(ROOT, 'demo/run.ts')], environment);
  const admin = join(ROOT, 'packages/server/src/admin/main.ts');
  const made: unknown = JSON.parse(
    await run(
      [admin, 'bootstrap', '--email', 'demo@example.test', '--project', 'Demo shop', '--json'],
      environment,
    ),
  );
  const fields = new Map(Object.entries(Object(made)));
  return { projectId: String(fields.get('project_id')), memberToken: String(fields.get('member_token')) };
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
