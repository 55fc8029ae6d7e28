import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INTERNAL_NAMES } from './internal-names.ts';

/** The builds of the client libraries, one row a package. Entry files are `src/<entry>.ts` of the package. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SdkPackage {
  /** Below `packages/`. */
  folder: string;
  name: string;
  /** The platform of the built code: `node` leaves the imports of Node's own modules unchanged. */
  platform: 'node' | 'browser' | 'neutral';
  target: string;
  /**
   * - `esm`: modules.
   * - `wrapped`: CommonJS, and modules that export again what it exports, so that a process has one instance.
   * - `both`: modules and CommonJS beside each other, for code without state.
   */
  format: 'esm' | 'wrapped' | 'both';
  entries: readonly string[];
  /** For runtimes that are not Node. */
  edgeEntries: readonly string[];
  /** The target of the code for older tools, if there is such code. */
  old?: string;
  /** Names of properties that are shortened. */
  internalNames?: string;
  /** Sources that replace others in builds under the condition `development`, which are in a folder of that name. */
  developmentSources?: Readonly<Record<string, string>>;
  /** Bundled into one file that sets a global of this name. */
  script?: { entry: string; global: string; sources: Readonly<Record<string, string>> };
}

export const SDK_PACKAGES: readonly SdkPackage[] = [
  {
    folder: 'sdk-core',
    name: '@culprit/core',
    platform: 'neutral',
    // The target that webpack 4 reads.
    target: 'es2018',
    format: 'both',
    entries: ['index'],
    edgeEntries: [],
  },
  {
    folder: 'sdk-node',
    name: '@culprit/node',
    platform: 'node',
    target: 'node20',
    format: 'wrapped',
    entries: [
      'index',
      'register',
      'express',
      'fastify',
      'koa',
      'hono',
      'hapi',
      'nest',
      'graphql',
      'lambda',
      'next',
      'fetch',
      'http',
      'pino',
      'winston',
      'bunyan',
    ],
    edgeEntries: ['edge/index', 'edge/next', 'edge/hono', 'edge/fetch', 'edge/graphql'],
  },
  {
    folder: 'sdk-browser',
    name: '@culprit/browser',
    platform: 'browser',
    target: 'es2020',
    format: 'esm',
    old: 'es2018',
    entries: ['index', 'errors', 'integrations', 'frameworks'],
    edgeEntries: [],
    internalNames: INTERNAL_NAMES,
    developmentSources: { 'codes.ts': 'sentences.ts' },
    script: { entry: 'script', global: 'culprit', sources: { 'load-probes.ts': 'loaded-probes.ts' } },
  },
];

/** The sources of a package. */
export function sourceFolder({ folder }: SdkPackage): string {
  return join(ROOT, 'packages', folder, 'src');
}
