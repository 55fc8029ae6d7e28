import { spawn } from 'node:child_process';

/** A program that ended: its code, null where it could not be started, and all that it printed. */
interface EndedCommand {
  code: number | null;
  output: string;
}

/** Runs a program to its end. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<EndedCommand> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => (output += data.toString()));
  }
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  return { code, output };
}
