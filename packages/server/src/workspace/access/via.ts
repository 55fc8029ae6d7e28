import type { IncomingHttpHeaders } from 'node:http';

/** The ways by which a person changes something, as histories name them. */
const VIAS = ['dashboard', 'api', 'cli', 'mcp'] as const;
export type Via = (typeof VIAS)[number];

/** The way of a request: a browser's cookie, or the program that its `User-Agent` names. */
export function viaOf(headers: IncomingHttpHeaders): Via {
  if (headers.authorization === undefined) return 'dashboard';
  const program = headers['user-agent'] ?? '';
  if (program.startsWith('culprit-mcp/')) return 'mcp';
  return program.startsWith('culprit-cli/') ? 'cli' : 'api';
}
