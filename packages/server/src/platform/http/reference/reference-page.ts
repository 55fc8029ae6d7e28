import { type Auth, type Endpoint, groupOf, problemsOf } from '@culprit/contract/endpoints/endpoint';
import { endpointExamples } from '@culprit/contract/endpoints/endpoint-examples';
import { buildOpenApiDocument, type OpenApiOptions } from '@culprit/contract/endpoints/openapi';
import { PROBLEM_STATUS } from '@culprit/contract/endpoints/problems';
import { eventExamples } from '@culprit/contract/events/event-examples';
import { postEvents } from '@culprit/contract/events/events';
import type { HttpServer } from '../server/http-server.ts';
import { type Html, html, joinHtml } from './html.ts';
import {
  collectRecords,
  descriptionOf,
  type FieldRow,
  fieldRows,
  recordAnchor,
  typeOf,
  variantsOf,
} from './reference-fields.ts';
import { START } from './reference-start.ts';
import { REFERENCE_STYLE } from './reference-style.ts';
import { renderWebhooks, webhookPayloads } from './reference-webhooks.ts';

/** Nothing but its own style sheet; without script there is nothing to allow. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const CACHE_CONTROL = 'public, max-age=300';

interface ReferenceOptions {
  endpoints: readonly Endpoint[];
  version: string;
  /** Base address of the API; relative to the page when absent. */
  serverUrl?: string;
  title?: string;
}

/** Serves `/docs`, its style and `/openapi.json`. Each is made from the endpoint list by its first request. */
export function bindReferencePage(server: HttpServer, reference: ReferenceOptions): void {
  const { endpoints, title = 'Culprit', ...rest } = reference;
  const options: OpenApiOptions = { title, ...rest };
  const files: { path: string; type: string; make: () => string }[] = [
    { path: '/docs', type: 'text/html; charset=utf-8', make: () => renderReferencePage(endpoints, options) },
    { path: '/docs/style.css', type: 'text/css; charset=utf-8', make: () => REFERENCE_STYLE },
    {
      path: '/openapi.json',
      type: 'application/json; charset=utf-8',
      make: () => JSON.stringify(buildOpenApiDocument(endpoints, options)),
    },
  ];
  for (const { path, type, make } of files) {
    let bytes: Buffer | null = null;
    server.app.route({
      method: ['GET', 'HEAD'],
      url: path,
      config: { access: 'public' },
      handler(_request, reply) {
        bytes ??= Buffer.from(make());
        return reply
          .header('content-type', type)
          .header('content-security-policy', PAGE_POLICY)
          .header('cache-control', CACHE_CONTROL)
          .send(bytes);
      },
    });
  }
}

/** The readable reference: one static page, complete without script. */
export function renderReferencePage(endpoints: readonly Endpoint[], options: OpenApiOptions): string {
  const groups = [...new Set(endpoints.map(groupOf))].map((name) => ({
    name,
    endpoints: endpoints.filter((endpoint) => groupOf(endpoint) === name),
  }));
  const sent = collectRecords(endpoints.map((endpoint) => endpoint.body));
  const records = new Map([
    ...sent,
    ...collectRecords(endpoints.flatMap((endpoint) => Object.values(endpoint.responses))),
    ...collectRecords(webhookPayloads),
  ]);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${options.title} API reference</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#contents">Contents</a>
<div class="layout">
<main id="content">
<h1>${options.title} API reference</h1>
<p class="soft">Version ${options.version}. Base address: <code>${options.serverUrl ?? 'the address of this page'}</code></p>
${START}
${renderWebhooks()}
${joinHtml(groups.map((group) => renderGroup(group.name, group.endpoints)))}
<section id="records">
<h2>Records</h2>
${joinHtml(
  [...records]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, schema]) => renderRecord(title, schema, sent.has(title) ? 'request' : 'answer')),
)}
</section>
</main>
<nav id="contents" aria-label="Endpoints">
<p><strong>${options.title} API</strong> <span class="soft">${options.version}</span></p>
<ul>
<li><a href="#start">Getting started</a></li>
<li><a href="#sign-in">Signing in</a></li>
<li><a href="#webhook-deliveries">Receiving webhooks</a></li>
<li><a href="#records">Records</a></li>
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul>
${joinHtml(groups.map((group) => renderNavigation(group.name, group.endpoints)))}
</nav>
</div>
</body>
</html>
`.text;
}

function renderNavigation(group: string, endpoints: readonly Endpoint[]): Html {
  return html`<h2>${groupTitle(group)}</h2>
<ul>
${joinHtml(
  endpoints.map(
    (endpoint) =>
      html`<li><a href="#${endpoint.id}"><span class="${endpoint.method.toLowerCase()}">${endpoint.method}</span> ${shortPath(endpoint.path)}</a></li>
`,
  ),
)}</ul>
`;
}

function groupTitle(group: string): string {
  return group.replaceAll(/[-_]/g, ' ');
}

function shortPath(path: string): string {
  return path.replace(/^\/v1/, '');
}

function renderGroup(group: string, endpoints: readonly Endpoint[]): Html {
  return html`<section>
<h2 id="group-${group}">${groupTitle(group)}</h2>
${joinHtml(endpoints.map(renderEndpoint))}
</section>
`;
}

const AUTH_TEXT: Record<Auth, string> = {
  public: 'No credential.',
  member: 'Member token or browser session.',
  project_token: 'Project token.',
  session: 'Browser session only.',
};

function renderEndpoint(endpoint: Endpoint): Html {
  const role = endpoint.role === undefined ? '' : ` Least project role: ${endpoint.role}.`;
  return html`<article id="${endpoint.id}" aria-labelledby="${endpoint.id}-title">
<h3 id="${endpoint.id}-title"><span class="method ${endpoint.method.toLowerCase()}">${endpoint.method}</span><a href="#${endpoint.id}">${endpoint.path}</a></h3>
<p>${renderNote(endpoint.summary)}</p>
<p class="soft">${AUTH_TEXT[endpoint.auth]}${role}</p>
${renderFields('Path parameters', endpoint.params, 'request')}
${renderFields('Query parameters', endpoint.query, 'request')}
${renderBody(endpoint)}
${joinHtml(Object.entries(endpoint.responses).map(([status, schema]) => renderResponse(status, schema)))}
${renderProblems(endpoint)}
${renderConditions(endpoint)}
${renderExamples(endpoint)}
</article>
`;
}

/** Renders the conditions that the schemas cannot express. */
function renderConditions({ conditions = [] }: Endpoint): Html {
  if (conditions.length === 0) return html``;
  return html`<h4>Conditions</h4>
<ul>${joinHtml(conditions.map((condition) => html`<li>${renderNote(condition)}</li>`))}</ul>`;
}

function renderExamples(endpoint: Endpoint): Html {
  const example = endpointExamples.get(endpoint.id);
  const events = endpoint.id === postEvents.id ? Object.entries(eventExamples) : [];
  return joinHtml([
    example?.body === undefined ? html`` : renderExample('Example of a body', example.body),
    example === undefined ? html`` : renderExample(`Example of an answer ${example.status}`, example.answer),
    ...events.map(([type, event]) => renderExample(`Example of ${type}`, event)),
  ]);
}

function renderExample(title: string, value: unknown): Html {
  return html`<details><summary>${title}</summary>
<pre><code>${JSON.stringify(value, null, 2)}</code></pre></details>
`;
}

function renderBody(endpoint: Endpoint): Html {
  if (endpoint.body === undefined) return html``;
  if (endpoint.body === 'none') return html`<h4>Body</h4><p>None.</p>`;
  const title = endpoint.isBodyOptional === true ? 'Body, optional' : 'Body';
  return renderFields(title, endpoint.body, 'request');
}

function renderResponse(status: string, schema: unknown): Html {
  const title = `Answer ${status}`;
  if (schema === 'empty') return html`<h4>${title}</h4><p>No body.</p>`;
  const rows = fieldRows(schema);
  const isRecord = typeof schema === 'object' && schema !== null && 'title' in schema;
  if (isRecord || rows.length === 0) return html`<h4>${title}</h4><p>${typeOf(schema)}</p>`;
  return renderTable(title, rows, 'answer');
}

function renderRecord(title: string, schema: unknown, side: 'request' | 'answer'): Html {
  return html`<article id="${recordAnchor(title)}">
<h3><a href="#${recordAnchor(title)}">${title}</a></h3>
<p>${renderNote(descriptionOf(schema))}</p>
${renderTable('Fields', fieldRows(schema), side)}
${joinHtml(variantsOf(schema).map((variant) => renderTable(variant.title, fieldRows(variant.schema), side)))}
</article>
`;
}

function renderFields(title: string, schema: unknown, side: 'request' | 'answer'): Html {
  const rows = fieldRows(schema);
  return rows.length === 0 ? html`` : renderTable(title, rows, side);
}

/** Fields of requests are marked when they are required, fields of answers when they can be absent. */
function renderTable(title: string, rows: readonly FieldRow[], side: 'request' | 'answer'): Html {
  const marked = (row: FieldRow): string => {
    if (side === 'request') return row.isRequired ? 'required' : '';
    return row.isRequired ? '' : 'may be absent';
  };
  return html`<h4>${title}</h4>
<div class="scroll"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>
${joinHtml(
  rows.map(
    (row) =>
      html`<tr><th scope="row">${row.name}</th><td>${row.type}</td><td>${renderNote(joinNotes(marked(row), row.note))}</td></tr>
`,
  ),
)}</tbody>
</table></div>`;
}

function joinNotes(...notes: string[]): string {
  return notes.filter((note) => note !== '').join('; ');
}

/** Words between backticks are set as code. */
function renderNote(note: string): Html {
  return joinHtml(
    note.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`)),
  );
}

function renderProblems(endpoint: Endpoint): Html {
  const codes = problemsOf(endpoint);
  if (codes.length === 0) return html``;
  return html`<h4>Errors</h4>
<ul class="codes">${joinHtml(
    codes.map((code) => html`<li><code>${PROBLEM_STATUS[code]} ${code}</code></li>`),
  )}</ul>`;
}
