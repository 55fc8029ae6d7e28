import type { IncomingHttpHeaders } from 'node:http';
import { MAP_UPLOAD_BYTES_MAX } from '@culprit/contract/releases/map-limits';
import { assembleArchive } from '../maps/archives/assemble-archive.ts';
import {
  CHUNK_BYTES_MAX,
  CHUNK_REQUEST_BYTES_MAX,
  CHUNKS_PER_REQUEST,
  takeChunks,
} from '../maps/archives/take-chunks.ts';
import type { HttpServer } from '../platform/http/server/http-server.ts';
import type { Runtime } from '../runtime.ts';
import { recordAudit } from '../workspace/audit/record-audit.ts';
import { readArchiveBody, readJson } from './tool-bodies.ts';
import { namedProjects } from './tool-projects.ts';
import { readRelease, recordDeploy, saveRelease } from './tool-releases.ts';
import { bindToolRoute, type ToolRequest, type ToolRoute } from './tool-request.ts';

const ORGANIZATION = '/api/0/organizations/:org';
const CHUNK_UPLOAD = `${ORGANIZATION}/chunk-upload`;
/** Around the chunks of a request: the boundaries and headers of its form. */
const FORM_BYTES_MAX = 65_536;

/** Binds the endpoints of `sentry-cli` and Sentry's bundler plugins (docs/contract/source-maps.md 9). */
export function bindBuildToolRoutes(server: HttpServer, runtime: Runtime): void {
  const bind = (route: ToolRoute) => bindToolRoute(server, runtime, route);
  if (runtime.maps.isOn) for (const route of mapRoutes(runtime)) bind(route);
  for (const route of releaseRoutes(runtime)) bind(route);
}

function mapRoutes(runtime: Runtime): ToolRoute[] {
  const { database } = runtime;
  return [
    {
      method: 'GET',
      path: CHUNK_UPLOAD,
      answer: async ({ headers, params }) => ({
        status: 200,
        body: {
          url: `${askedOrigin(headers, runtime.baseUrl)}${CHUNK_UPLOAD.replace(':org', encodeURIComponent(params.org ?? ''))}/`,
          chunkSize: CHUNK_BYTES_MAX,
          chunksPerRequest: CHUNKS_PER_REQUEST,
          maxFileSize: MAP_UPLOAD_BYTES_MAX,
          maxRequestSize: CHUNK_REQUEST_BYTES_MAX,
          concurrency: 2,
          hashAlgorithm: 'sha1',
          compression: ['gzip'],
          // Version 2 asks for the first before it looks at the others.
          accept: ['release_files', 'artifact_bundles', 'artifact_bundles_v2'],
        },
      }),
    },
    {
      method: 'POST',
      path: CHUNK_UPLOAD,
      bodyBytesMax: CHUNK_REQUEST_BYTES_MAX + FORM_BYTES_MAX,
      async answer({ caller, body, contentType }) {
        await takeChunks(database, caller.userId, { bytes: body, contentType });
        return { status: 200, body: {} };
      },
    },
    {
      method: 'POST',
      path: `${ORGANIZATION}/artifactbundle/assemble`,
      answer: async (request) => ({ status: 200, body: await assemble(runtime, request) }),
    },
  ];
}

async function assemble(runtime: Runtime, { caller, body, origin }: ToolRequest): Promise<object> {
  const archive = readArchiveBody(readJson(body));
  const projects = await namedProjects(runtime, caller.userId, archive.projects);
  const byId = new Map(projects.map((project) => [project.projectId, project]));
  const target = { userId: caller.userId, projectIds: [...byId.keys()] };
  return await assembleArchive(runtime.database, target, archive, async (projectId, uploadId) => {
    await recordAudit(runtime.database, origin, {
      ...{
        organizationId: byId.get(projectId)?.organizationId ?? null,
        projectId,
        actorUserId: caller.userId,
      },
      action: 'source_maps.uploaded',
      subject: `map_upload:${uploadId}`,
      data: { release: archive.release, via: 'sentry' },
    });
  });
}

function releaseRoutes(runtime: Runtime): ToolRoute[] {
  const save = async (status: number, { caller, params, body }: ToolRequest) => {
    const content = readJson(body);
    const version = params.version ?? content.version;
    const project = params.project ?? null;
    return { status, body: await saveRelease(runtime, caller.userId, { version, body: content, project }) };
  };
  return [
    {
      method: 'GET',
      path: ORGANIZATION,
      answer: async ({ params: { org = '' } }) => ({ status: 200, body: { slug: org, name: org } }),
    },
    {
      // Commits come with the request; no code host is connected.
      method: 'GET',
      path: `${ORGANIZATION}/repos`,
      answer: async () => ({ status: 200, body: [] }),
    },
    {
      method: 'GET',
      path: `${ORGANIZATION}/releases/:version/previous-with-commits`,
      answer: async () => ({ status: 200, body: {} }),
    },
    {
      method: 'POST',
      path: `${ORGANIZATION}/releases`,
      answer: async (request) => await save(201, request),
    },
    {
      method: 'POST',
      path: '/api/0/projects/:org/:project/releases',
      answer: async (request) => await save(201, request),
    },
    // Version 2 names one project in the path.
    ...[`${ORGANIZATION}/releases/:version`, '/api/0/projects/:org/:project/releases/:version'].flatMap(
      (path): ToolRoute[] => [
        {
          method: 'PUT',
          path,
          answer: async (request) => await save(200, request),
        },
        {
          method: 'GET',
          path,
          answer: async ({ caller, params }) => ({
            status: 200,
            body: await readRelease(runtime, caller.userId, params.version, params.project ?? null),
          }),
        },
      ],
    ),
    {
      method: 'POST',
      path: `${ORGANIZATION}/releases/:version/deploys`,
      answer: async ({ caller, params, body }) => ({
        status: 201,
        body: await recordDeploy(runtime, caller.userId, { version: params.version, body: readJson(body) }),
      }),
    },
  ];
}

/**
 * The address under which the caller reached this server: what it reached works. A header that the caller invents
 * misleads the caller alone.
 */
function askedOrigin(headers: IncomingHttpHeaders, baseUrl: string): string {
  const base = new URL(baseUrl);
  const host = headers.host ?? base.host;
  const forwarded = String(headers['x-forwarded-proto'] ?? '')
    .split(',', 1)[0]
    ?.trim()
    .toLowerCase();
  const isBase = host.toLowerCase() === base.host;
  const scheme =
    forwarded === 'https' || forwarded === 'http' ? `${forwarded}:` : isBase ? base.protocol : 'http:';
  return `${scheme}//${host}${isBase ? base.pathname.replace(/\/$/, '') : ''}`;
}
