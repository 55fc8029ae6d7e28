import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { ReproductionArtifacts } from '@culprit/contract/incidents/reproduction';

/** The answer when the failure was reproduced. */
interface ReproductionResult {
  means: 'curl' | 'fetch';
  /** 0 when nothing answered. */
  status: number;
  body: string;
}

/** Not found, in the words of a shell. */
const EXIT_NOT_FOUND = 127;
/** Says what the shop answered, and nothing about progress. */
const CURL_REPORT = String.raw`--silent --show-error --max-time 10 --write-out '\n%{http_code}'`;

/** Runs the command of the bundle in a shell; sends the same request itself where there is no curl. */
export async function reproduce(artifacts: ReproductionArtifacts): Promise<ReproductionResult> {
  return (await runCurl(artifacts.curl)) ?? (await sendSpec(artifacts.json_spec));
}

async function runCurl(command: string): Promise<ReproductionResult | null> {
  const child = spawn('sh', ['-c', `${command} ${CURL_REPORT}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, , code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => {
      child.once('error', () => resolve(EXIT_NOT_FOUND));
      child.once('close', resolve);
    }),
  ]);
  if (code === EXIT_NOT_FOUND) return null;
  const lines = output.trimEnd().split('\n');
  return { means: 'curl', status: Number(lines.pop() ?? 0), body: lines.join('\n') };
}

async function sendSpec({
  method,
  url,
  query,
  headers,
  body,
}: ReproductionArtifacts['json_spec']): Promise<ReproductionResult> {
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
  const answer = await fetch(target, { method, headers, body: body === null ? null : JSON.stringify(body) });
  return { means: 'fetch', status: answer.status, body: await answer.text() };
}
